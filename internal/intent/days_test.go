package intent

import (
	"strconv"
	"testing"
	"time"

	"loci"
)

// TestDay reads days on Monday, 30 November 2026.
func TestDay(t *testing.T) {
	u := &utterance{Situation: loci.Situation{Now: time.Date(2026, 11, 30, 23, 59, 0, 0, time.FixedZone("", 3600))}}
	for words, want := range map[string]string{
		"tomorrow": "2026-12-01", "yesterday": "2026-11-29", "the day after tomorrow": "2026-12-02",
		"in 10 days": "2026-12-10", "in two weeks": "2026-12-14", "5 days ago": "2026-11-25", "3 months from now": "2027-03-02", "a year ago": "2025-11-30",
		"friday": "2026-12-04", "next monday": "2026-12-07", "this monday": "2026-11-30", "last friday": "2026-11-27",
		"christmas": "2026-12-25", "New Year's Eve": "2026-12-31", "halloween": "2027-10-31",
		"2020-02-29": "2020-02-29", "July 20, 2027": "2027-07-20", "20th of July 2027": "2027-07-20", "may 1": "2027-05-01", "24 Dec": "2026-12-24",
		"明天": "2026-12-01", "3天后": "2026-12-03", "两": "", "2周前": "2026-11-16", "2026年12月25日": "2026-12-25", "1月1日": "2027-01-01", "圣诞节": "2026-12-25",
		"zítra": "2026-12-01", "za 3 dny": "2026-12-03", "před 2 týdny": "2026-11-16", "Vánoc": "2026-12-24", "24. prosince": "2026-12-24", "17. listopadu 1989": "1989-11-17", "1. 5. 2027": "2027-05-01",
		"2026-02-30": "", "31. 2. 2027": "", "the meeting": "", "": "", "99999 years": "", "Easter": "2027-03-28", "Good Friday 2025": "2025-04-18", "Christmas 2030": "2030-12-25", "Easter next year": "2027-03-28", "29 February": "2028-02-29", "it": "",
	} {
		got := ""
		if day, ok := u.day(words); ok {
			got = day.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

func FuzzDay(f *testing.F) {
	for _, s := range []string{"in 10 days", "24. 12.", "3天后", "20th of July 2027"} {
		f.Add(s)
	}
	u := &utterance{Situation: loci.Situation{Now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}}
	f.Fuzz(func(t *testing.T, words string) {
		day, ok := u.day(words)
		if ok && (day.Hour() != 0 || day.Location() != time.UTC) {
			t.Errorf("%q: %v is not a day", words, day)
		}
	})
}

// TestEaster compares with the tables of the churches.
func TestEaster(t *testing.T) {
	for _, want := range []string{"1818-03-22", "1943-04-25", "1954-04-18", "1981-04-19", "2000-04-23", "2019-04-21", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25", "2049-04-18", "2285-03-22"} {
		year, err := strconv.Atoi(want[:4])
		if err != nil {
			t.Fatal(err)
		}
		if got := easter(year).Format(time.DateOnly); got != want {
			t.Errorf("Easter is on %s, want %s", got, want)
		}
	}
}

// TestSpan never counts backwards.
func TestSpan(t *testing.T) {
	u := &utterance{Situation: loci.Situation{Now: time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)}}
	for _, tc := range []struct {
		from, to, wantFrom string
		days               int
	}{
		{"1 March", "24 December", "2026-03-01", 298}, {"24 December", "28 February", "2026-12-24", 66}, {"today", "christmas", "2026-11-30", 25},
		{"2027-01-01", "2026-12-01", "2026-12-01", 31}, {"1 March 2025", "24 December", "2025-03-01", 298}, {"24 December", "1 March 2027", "2026-12-24", 67},
		{"1 May", "1 May", "2026-05-01", 0}, {"1 March 2024", "1 March", "2024-03-01", 0}, {"tomorrow", "1 March", "2026-12-01", 90},
		{"Monday", "Friday", "2026-12-07", 4},
	} {
		from, to, ok := u.span(tc.from, tc.to)
		if !ok || from.Format(time.DateOnly) != tc.wantFrom || daysFrom(from, to) != tc.days {
			t.Errorf("%s to %s: %s to %s, %d days, %t", tc.from, tc.to, from, to, daysFrom(from, to), ok)
		}
	}
}
