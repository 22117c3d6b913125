package wire

import (
	"bytes"
	"encoding/json"

	"loci"
)

// Decode decodes the member's value into v; see [Decode].
func (m Member) Decode(v any) error { return Decode(m.Name, m.Value, v) }

// Int is the value as a whole number, however it is written.
func (m Member) Int() (int64, error) {
	var n Int
	err := m.Decode(&n)
	return int64(n), err
}

// Texts is the value as a list of strings; one string is a list of one.
func (m Member) Texts() ([]string, error) {
	if len(m.Value) > 0 && m.Value[0] == '[' {
		var list []string
		err := m.Decode(&list)
		return list, err
	}
	var one string
	err := m.Decode(&one)
	return []string{one}, err
}

// Raw is a checked copy of the value, to be passed on as it is: the scan that
// found the member did not look inside.
func (m Member) Raw() (json.RawMessage, error) {
	if !json.Valid(m.Value) {
		return nil, loci.Errorf(loci.Invalid, "The field %s is not valid JSON.", Clip(m.Name))
	}
	return bytes.Clone(m.Value), nil
}
