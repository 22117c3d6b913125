package intent

import (
	"fmt"
	"strings"
)

// Facts about this machine and the time, asked for in any words: what is asked about,
// and that it is of here and now, is enough. These rules come after the strict ones.

// machineTopics are the parts of the machine by the words that only they are asked with.
var machineTopics = []struct {
	words words
	part  string
}{
	{wordsOf("facts/name of the system"), "os"},
	{wordsOf("facts/uptime"), "uptime"},
	{wordsOf("facts/memory"), "memory"},
	{wordsOf("facts/disk"), "disk"},
	{wordsOf("facts/cpu"), "cpu"},
	{wordsOf("facts/network"), "network"},
	{wordsOf("facts/os"), "os"},
}

var (
	asksMachine = wordsOf("facts/asks")
	ofHere      = wordsOf("facts/of here")
	notMachine  = wordsOf("facts/of knowledge")
	hogged      = wordsOf("facts/what is hogged")
	noHog       = wordsOf("facts/no hog")
	byMemory    = wordsOf("facts/by memory")
	noZone      = wordsOf("facts/no zone")
)

// looseFacts are rules for the machine, what runs on it, and the time.
func looseFacts() []rule {
	return []rule{
		{phrasesOf("facts/the whole machine"), func(u *utterance, _ captures) goal {
			if u.fileNamed() != "" || notMachine.has(u.core) {
				return nil
			}
			return oneCall{tool: systemInfo}
		}},
		{phrasesOf("facts/runs here"), func(_ *utterance, m captures) goal {
			if noProgram.has(m["name"]) || hogged.has(m["name"]) {
				return nil
			}
			return oneCall{tool: listProcesses, args: arguments{"name": strings.ToLower(m["name"])}}
		}},
		{phrasesOf("facts/what hogs it"), func(u *utterance, m captures) goal {
			return u.busiest(arguments{"name": m["name"], "limit": smallNumbers.or(m["count"], 0)})
		}},
		{phrasesOf("facts/what hogs"), func(u *utterance, _ captures) goal {
			if !hogged.has(u.core) || notMachine.has(u.core) || u.fileNamed() != "" || saysFile.has(u.core) || noHog.has(u.core) {
				return nil
			}
			return u.busiest(arguments{})
		}},
		{newPatterns(`^.`), func(u *utterance, _ captures) goal { return u.machineTopic() }},
		{phrasesOf("facts/time zone"), func(*utterance, captures) goal {
			return oneCall{tool: currentTime, args: arguments{"part": "zone"}}
		}},
		{phrasesOf("facts/week"), func(*utterance, captures) goal {
			return oneCall{tool: currentTime, args: arguments{"part": "week"}}
		}},
		{phrasesOf("facts/date and time"), func(*utterance, captures) goal {
			return oneCall{tool: currentTime}
		}},
		{phrasesOf("facts/time"), func(_ *utterance, m captures) goal {
			zone := cityZones.or(m["zone"], m["zone"])
			if aForm.has(zone) || noZone.has(zone) {
				return nil
			}
			return oneCall{tool: currentTime, args: arguments{"part": "time", "zone": zone}}
		}},
	}
}

// busiest makes the goal of listing what runs, by what it is said to take.
func (u *utterance) busiest(args arguments) goal {
	if byMemory.has(u.core) {
		args["sort"] = "memory"
	}
	return oneCall{tool: listProcesses, args: args}
}

// machineTopic makes the goal of telling one part of what is known of this machine.
func (u *utterance) machineTopic() goal {
	if !asksMachine.has(u.core) || !ofHere.has(u.core) || notMachine.has(u.core) || u.path() != "" || saysFile.has(u.core) || saysFolder.has(u.core) || len(u.core) > 90 {
		return nil
	}
	for _, t := range machineTopics {
		if t.words.has(u.core) {
			return oneCall{tool: systemInfo, args: arguments{"part": t.part}}
		}
	}
	return nil
}

// Sums that are told and not written.
var (
	pricedItem = patternFor("sums/priced item")
	singleItem = patternFor("sums/single item")
	asksTotal  = wordsOf("sums/asks for the total")
	bigPeriods = map[string]float64{"hour": 1, "day": 24, "week": 24 * 7, "month": 24 * 365.0 / 12, "year": 24 * 365, "decade": 24 * 3650}
)

// toldSums are rules for sums in a story. They need no question word where the form
// leaves no doubt.
func toldSums() []rule {
	number := func(s string) string { return strings.TrimRight(strings.ReplaceAll(s, ",", ""), ".") }
	sum := func(form string, args ...any) goal {
		return oneCall{tool: calculate, args: arguments{"expression": fmt.Sprintf(form, args...)}}
	}
	with := func(kind string, asked bool, make func(m captures) goal) rule {
		return rule{phrasesOf(kind), func(u *utterance, m captures) goal {
			if asked && !asksTotal.has(u.core+strings.TrimSpace(u.Text)) || u.fileNamed() != "" {
				return nil
			}
			return make(m)
		}}
	}
	return []rule{
		{[]pattern{pricedItem}, func(u *utterance, _ captures) goal { return u.shoppingSum() }},
		with("sums/share of an amount", false, func(m captures) goal { return sum("%s * %s / 100", number(m["amount"]), number(m["rate"])) }),
		with("sums/shared by some", false, func(m captures) goal {
			return sum("%s / %d", number(m["amount"]), max(1, smallNumbers.or(m["n"], atoi(m["n"]))))
		}),
		with("sums/with a rate", true, func(m captures) goal { return sum("%s * (1 + %s / 100)", number(m["amount"]), number(m["rate"])) }),
		with("sums/less a rate", true, func(m captures) goal { return sum("%s * (1 - %s / 100)", number(m["amount"]), number(m["rate"])) }),
		with("sums/in a period", true, func(m captures) goal {
			count := fmt.Sprint(smallNumbers.or(strings.ReplaceAll(m["m"], "an", "a"), atoi(m["m"])))
			if m["m"] == "half a" {
				count = "0.5"
			}
			return sum("%s * %s * %s", number(m["n"]), count, periodsIn(m["per"], m["unit"]))
		}),
	}
}

// shoppingSum adds up what some things cost.
func (u *utterance) shoppingSum() goal {
	if !asksTotal.has(u.core+strings.TrimSpace(u.Text)) || u.fileNamed() != "" {
		return nil
	}
	var parts []string
	rest := u.core
	for _, m := range pricedItem.compiled().FindAllStringSubmatch(u.core, -1) {
		parts = append(parts, m[1]+" * "+m[2])
		rest = strings.Replace(rest, m[0], " ", 1)
	}
	for _, m := range singleItem.compiled().FindAllStringSubmatch(rest, -1) {
		parts = append(parts, m[1])
	}
	return oneCall{tool: calculate, args: arguments{"expression": strings.Join(parts, " + ")}}
}

// periodsIn is how many of one period another has, as a calendar counts them.
func periodsIn(per, unit string) string {
	switch per + " " + unit {
	case "month year":
		return "12"
	case "week year":
		return "52"
	case "month decade":
		return "120"
	}
	return fmt.Sprintf("%g", bigPeriods[unit]/bigPeriods[per])
}
