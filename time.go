package loci

import (
	"strconv"
	"time"
)

// TimeFormat is how times are written on the wire: UTC, RFC 3339, milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// Time is a moment that encodes as TimeFormat in JSON, whatever its zone.
type Time struct{ time.Time }

// Now is the current moment.
func Now() Time { return Time{time.Now()} }

// MarshalJSON writes the time in TimeFormat.
func (t Time) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, t.UTC().Format(TimeFormat)), nil
}
