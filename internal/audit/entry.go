// Package audit is the form of the audit log: the bytes of a record, the chain of
// keyed hashes over them, the anchor that names its end, and how to find out what
// was changed. It reads and writes no files; package store does.
//
// A row has a number n (1, 2, 3 …), an entry, which is the record in bytes, and
//
//	hash(n) = HMAC-SHA-256(key, hash(n-1) ‖ entry(n)),  hash(0) = 32 zero bytes
//
// (RFC 2104, FIPS 180-4). The key is kept outside the database, so whoever can
// write there can neither change a row nor make the hashes fit again. What hashes
// cannot show is that the end is missing: the anchor, kept in a file of its own,
// names the last row together with its hash, under the same key. Who has the key,
// or can put back old copies of the database and of the anchor at once, is not
// found out by this.
package audit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"loci"
)

// version is the first field of each entry.
const version = "loci audit 1"

// Encode gives the bytes of a record. Each field is a netstring, which is its length
// in decimal, a colon, the field, and a comma (D. J. Bernstein, 1997): so no field
// can be taken for two, or for another, whatever bytes it has. The order is: version, N, Time in
// Unix milliseconds, Kind, Intent, Principal, Session, Turn, Call, Tool, Effects,
// Arguments, Permit, Taint, State, Result, Bytes, Digest. Numbers are decimal, and Taint is a
// netstring of netstrings.
func Encode(r loci.AuditRecord) []byte {
	var taint []byte
	for _, t := range r.Taint {
		taint = appendField(taint, t)
	}
	b := make([]byte, 0, 256+len(r.Arguments)+len(r.Result)+len(taint))
	b = appendField(b, version)
	b = appendNumber(b, r.N)
	b = appendNumber(b, r.Time.UnixMilli())
	b = appendField(b, r.Kind)
	b = appendNumber(b, r.Intent)
	b = appendField(b, r.Principal)
	b = appendField(b, r.Session)
	b = appendField(b, r.Turn)
	b = appendField(b, r.Call)
	b = appendField(b, r.Tool)
	b = appendField(b, r.Effects)
	b = appendField(b, r.Arguments)
	b = appendField(b, r.Permit)
	b = appendField(b, taint)
	b = appendField(b, r.State)
	b = appendField(b, r.Result)
	b = appendNumber(b, r.Bytes)
	return appendField(b, r.Digest)
}

func appendField[T ~string | ~[]byte](b []byte, field T) []byte {
	b = strconv.AppendInt(b, int64(len(field)), 10)
	b = append(b, ':')
	b = append(b, field...)
	return append(b, ',')
}

func appendNumber(b []byte, n int64) []byte {
	var digits [20]byte
	return appendField(b, strconv.AppendInt(digits[:0], n, 10))
}

// Decode reads what [Encode] wrote. It takes nothing else: of two byte strings at
// most one stands for a record. Absent lists and arguments come back nil.
func Decode(entry []byte) (r loci.AuditRecord, err error) {
	d := decoder{rest: entry}
	if v := d.field(); d.err == nil && string(v) != version {
		return r, fmt.Errorf("audit: the entry is of another version: %.40q", v)
	}
	r.N = d.number()
	r.Time = loci.Time{Time: time.UnixMilli(d.number()).UTC()}
	r.Kind = loci.AuditKind(d.field())
	r.Intent = d.number()
	r.Principal = string(d.field())
	r.Session = string(d.field())
	r.Turn = string(d.field())
	r.Call = string(d.field())
	r.Tool = string(d.field())
	r.Effects = loci.SideEffects(d.field())
	if args := d.field(); len(args) > 0 {
		r.Arguments = bytes.Clone(args)
	}
	r.Permit = string(d.field())
	taint := decoder{rest: d.field()}
	for len(taint.rest) > 0 && taint.err == nil {
		r.Taint = append(r.Taint, string(taint.field()))
	}
	r.State = loci.AuditState(d.field())
	r.Result = string(d.field())
	r.Bytes = d.number()
	r.Digest = string(d.field())
	if err := errors.Join(d.err, taint.err); err != nil {
		return loci.AuditRecord{}, err
	}
	if len(d.rest) > 0 {
		return loci.AuditRecord{}, errors.New("audit: the entry goes on after its end")
	}
	return r, nil
}

// decoder reads netstrings; after an error everything is empty.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) field() []byte {
	digits, _, ok := bytes.Cut(d.rest[:min(len(d.rest), 20)], []byte(":"))
	size, err := canonicalNumber(digits)
	rest := d.rest[min(len(d.rest), len(digits)+1):]
	if d.err != nil || !ok || err != nil || size < 0 || size >= int64(len(rest)) || rest[size] != ',' {
		d.fail()
		return nil
	}
	d.rest = rest[size+1:]
	return rest[:size]
}

func (d *decoder) number() int64 {
	n, err := canonicalNumber(d.field())
	if err != nil {
		d.fail()
	}
	return n
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errors.New("audit: the entry is damaged")
	}
	d.rest = nil
}

// canonicalNumber reads a number that is written in the one way there is.
func canonicalNumber(digits []byte) (int64, error) {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err == nil && strconv.FormatInt(n, 10) != string(digits) {
		err = strconv.ErrSyntax
	}
	return n, err
}
