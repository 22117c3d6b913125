package prompt

import (
	"slices"
	"strings"
	"time"
)

// southern lists the time zones, or their first parts, where the seasons are
// the other way round. Zones near the equator are in neither camp; they follow
// the north like every zone that is not listed.
var southern = []string{
	"Australia/", "Antarctica/", "Pacific/Auckland", "Pacific/Chatham",
	"Africa/Johannesburg", "Africa/Maputo", "Africa/Harare", "Africa/Windhoek", "Africa/Gaborone",
	"America/Argentina/", "America/Buenos_Aires", "America/Santiago", "America/Montevideo",
	"America/Asuncion", "America/Sao_Paulo", "America/La_Paz", "America/Lima",
}

// Season is the meteorological season, with "early", "late" or nothing for the
// month within it.
func Season(t time.Time, zone string) string {
	month := int(t.Month())
	if slices.ContainsFunc(southern, func(p string) bool { return strings.HasPrefix(zone, p) }) {
		month += 6
	}
	names := [...]string{"winter", "spring", "summer", "autumn"}
	parts := [...]string{"early ", "", "late "}
	return parts[month%3] + names[month%12/3]
}
