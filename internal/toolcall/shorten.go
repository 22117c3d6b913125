package toolcall

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// noteRoom is what the member that tells of a cut takes at most, in bytes.
const noteRoom = 160

// Shorten cuts a JSON object that is longer than limit bytes. What is left is
// the beginning of it, closed so that it is valid, the last text cut between
// two characters, with a last member "cut" that says so in the words that note has
// for what is kept and for how much there was, in bytes.
func Shorten(data json.RawMessage, limit int, note func(kept, all int) string) json.RawMessage {
	if len(data) <= limit {
		return data
	}
	kept, open := head(data, limit-noteRoom)
	out := append([]byte(nil), kept...)
	for i := len(open) - 1; i > 0; i-- {
		out = append(out, open[i])
	}
	if len(out) > 1 {
		out = append(out, ',')
	} else {
		out = append(out[:0], '{')
	}
	words, _ := json.Marshal(note(len(kept), len(data))) // a string always marshals
	return append(append(append(out, `"cut":`...), words...), '}')
}

// head returns the longest beginning of a JSON object that fits room bytes
// once it is closed, and the closing brackets that it needs, outermost first.
// It may end inside a text, whose closing quote it then has.
func head(data []byte, room int) (kept []byte, open []byte) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var stack []byte  // closers of what is open
	var isKey []bool  // for each open object: is its next token a key?
	var safe int      // where data may be cut
	var closes []byte // the stack there
	for {
		start := int(dec.InputOffset())
		token, err := dec.Token()
		if err != nil {
			return data[:safe], closes
		}
		end := int(dec.InputOffset())
		delim, _ := token.(json.Delim)
		top := len(stack) - 1
		key := top >= 0 && isKey[top] && delim != '}'
		if top >= 0 && stack[top] == '}' && delim != '}' {
			isKey[top] = !isKey[top]
		}
		switch delim {
		case '{', '[':
			stack, isKey = append(stack, byte(delim)+2), append(isKey, delim == '{') // } and ] are two after { and [
		case '}', ']':
			stack, isKey = stack[:top], isKey[:top]
		}
		if end+len(stack) > room {
			if _, text := token.(string); text && !key {
				if cut := cutText(data[start:end], room-start-len(stack)); cut != nil {
					return append(data[:start:start], cut...), stack
				}
			}
			return data[:safe], closes
		}
		if !key {
			safe, closes = end, append(closes[:0], stack...)
		}
	}
}

// cutText cuts a JSON string, with the separator before it, to room bytes and
// ends it with an ellipsis; nil where that leaves nothing worth having.
func cutText(raw []byte, room int) []byte {
	const ending = `…"`
	pos := bytes.IndexByte(raw, '"') + 1
	first := pos
	for pos < len(raw)-1 {
		size := 1
		switch {
		case raw[pos] == '\\' && raw[pos+1] == 'u':
			size = 6
			if pos+12 < len(raw) && raw[pos+6] == '\\' && raw[pos+2]|0x20 == 'd' && raw[pos+3] >= '8' {
				size = 12 // a pair of surrogates is one character
			}
		case raw[pos] == '\\':
			size = 2
		default:
			_, size = utf8.DecodeRune(raw[pos:])
		}
		if pos+size+len(ending) > room {
			break
		}
		pos += size
	}
	if pos-first < 16 {
		return nil
	}
	return append(raw[:pos:pos], ending...)
}
