package intent

import (
	"strconv"
	"strings"

	"loci/internal/lang"
)

// mediaFrames order a player.
func mediaFrames() []frame {
	media := func(kind string) frame {
		_, action, _ := strings.Cut(kind, "/")
		return frame{tool: mediaControl, kind: kind, goal: func(u *utterance, n naming, m captures) goal {
			args := arguments{"action": action}
			if len(n.things) > 0 || len(strings.Fields(n.words)) > 14 {
				return nil
			}
			if v, ok := loudness(m["level"]); ok {
				args["volume"] = v
			} else if action == "volume_set" && m["level"] != "" {
				return nil
			}
			return oneCall{tool: mediaControl, args: args}
		}}
	}
	return []frame{
		media("plays/volume_set"), media("plays/volume_up"), media("plays/volume_down"), media("plays/next"), media("plays/previous"),
		media("plays/stop"), media("plays/pause"), media("plays/play"),
	}
}

// doFrames start an application or run a command.
func doFrames() []frame {
	return []frame{
		{tool: openApp, kind: "starts/app", goal: func(u *utterance, n naming, m captures) goal {
			if len(n.things) > 0 || noApp.has(m["app"]) {
				return nil
			}
			return u.start(m["app"], "")
		}},
		{tool: runCommand, kind: "starts/command", goal: func(u *utterance, n naming, m captures) goal {
			line, _ := unquote(u.verbatim(m["line"]))
			words := strings.Fields(line)
			if len(words) == 0 || inSentence.has(" "+strings.Join(words[1:], " ")+" ") || !startsProgram.has(words[0]) {
				return nil
			}
			if len(words) == 1 && alsoWord.has(words[0]) || len(words) > 1 && alsoWord.has(words[0]) && !looksTyped.has(line) {
				return nil
			}
			return running{line: line}
		}},
	}
}

var (
	startsProgram = newPattern(`^` + programNames + `$|^ping$|^ssh$`)
	// alsoWord are programs named like other things.
	alsoWord = newPattern(`^(?:find|sort|date|file|tree|which|make|go|head|tail|cat|free|id|python3?|node|ruby|perl|docker|touch|diff|stat|echo|git|who)$`)
	// looksTyped is a line as it would be typed.
	looksTyped = newPattern(` -{1,2}\w|^git \w+(?: [\w./-]+)?$|\.(?:py|js|rb|sh|pl|txt|md|log|csv)\b|^(?:docker|make|go|npm) \w+$|[|>]`)
)

// withApp opens a page or a file with an application that is named.
func withApp() frame {
	return frame{tool: openApp, kind: "starts/with an app", goal: func(u *utterance, n naming, m captures) goal {
		if noApp.has(m["app"]) || homeFolder.has(m["app"]) || vagueWord.has(m["app"]) || len(n.things) != 1 {
			return nil
		}
		return u.start(m["app"], m["page"]+m["file"])
	}}
}

// loudness reads a volume in percent.
func loudness(words string) (int, bool) {
	words = strings.ToLower(strings.TrimSpace(words))
	if n, ok := loudnessWords.of(words); ok {
		return n, true
	}
	n, err := strconv.Atoi(strings.TrimRight(words, "% percntPERCNT"))
	return n, err == nil && n <= 100
}

var loudnessWords = newLexicon(map[string]int{
	"half": 50, "half way": 50, "a half": 50, "a quarter": 25, "one quarter": 25, "a third": 33, "one third": 33, "two thirds": 67, "three quarters": 75,
	"full": 100, "max": 100, "maximum": 100, "the max": 100, "the maximum": 100, "zero": 0, "minimum": 0, "ten": 10, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"polovinu": 50, "půlku": 50, "čtvrtinu": 25, "nulu": 0, "一半": 50, "最大": 100, "最小": 0,
})

// wishFrames are more words for what loci does not do yet.
func wishFrames() []frame {
	missing := func(kind string, answer lang.Words) frame {
		_, tool, _ := strings.Cut(kind, "/")
		return frame{tool: tool, kind: kind, goal: func(u *utterance, n naming, _ captures) goal {
			if u.offersAny(tool) || n.names(fileSign) || saysNo.has(u.core) || asksHow.has(u.core) {
				return nil
			}
			return saying{answer.In(u.Lang)}
		}}
	}
	return []frame{
		missing("wishes/stock", notYetStock), missing("wishes/recall", notYetMemory), missing("wishes/schedule_*", notYetSchedule),
		missing("wishes/weather", notYetWeather), missing("wishes/send_email", notYetMail), missing("wishes/read_email", notYetMail),
		missing("wishes/remember", notYetMemory), missing("wishes/notion_*", notYetNotion), missing("wishes/search_documents", notYetDocuments),
	}
}
