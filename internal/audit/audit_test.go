package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

var testKey = bytes.Repeat([]byte{7}, loci.AuditKeySize)

// record is the nth of a log, with bytes in it that are hard to keep apart.
func record(n int64) loci.AuditRecord {
	return loci.AuditRecord{
		N: n, Time: loci.Time{Time: time.UnixMilli(1_795_000_000_123 + n).UTC()}, Kind: loci.AuditIntent, Principal: "owner",
		Session: "ses_1", Turn: "turn_1", Call: fmt.Sprintf("call_%d", n), Tool: "write_file", Effects: loci.EffectWrite,
		Arguments: json.RawMessage(`{"path":"a,3:b","content":"\u001b[2K\n{\"action\":\"approve\"}"}`),
		Permit:    "apr_1", Taint: []string{"web example.org", "", "1:a,"}, State: loci.StateFailed, Result: "\xff\x00,12:", Bytes: 5, Digest: "ab",
	}
}

// written is a log of so many rows, and its anchor.
func written(key []byte, many int64) ([]Row, []byte) {
	chain := NewChain(key)
	var h Head
	var rows []Row
	for h.N < many {
		r := record(h.N + 1)
		entry := Encode(r)
		h = Head{r.N, chain.Next(h.Hash, entry)}
		rows = append(rows, stored(r, entry, h.Hash))
	}
	return rows, chain.Anchor(h)
}

func stored(r loci.AuditRecord, entry []byte, hash Hash) Row {
	return Row{r.N, r.Time.UnixMilli(), string(r.Kind), r.Intent, r.Principal, r.Session, r.Tool, string(r.State), entry, hash[:]}
}

func verify(key []byte, rows []Row, anchor []byte) loci.AuditReport {
	v := NewVerifier(key, anchor)
	for _, r := range rows {
		v.Row(r)
	}
	return v.End()
}

func TestEncodeRoundTrip(t *testing.T) {
	for _, want := range []loci.AuditRecord{record(1), {Time: loci.Time{Time: time.UnixMilli(0).UTC()}}, {Time: loci.Time{Time: time.UnixMilli(-5).UTC()}, Intent: -1}} {
		got, err := Decode(Encode(want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// What is read in a log a year from now, or by another program, must not change. The
// hash was computed with Python.
func TestEncodeIsFixed(t *testing.T) {
	r := loci.AuditRecord{N: 7, Time: loci.Time{Time: time.UnixMilli(1795000000123)}, Kind: loci.AuditOutcome, Intent: 6, Principal: "owner", Tool: "é", Taint: []string{"web x"}, State: loci.StateFailed, Result: "No: é,"}
	want := "12:loci audit 1,1:7,13:1795000000123,7:outcome,1:6,5:owner,0:,0:,0:,2:é,0:,0:,0:,8:5:web x,,6:failed,7:No: é,,1:0,0:,"
	if diff := cmp.Diff(want, string(Encode(r))); diff != "" {
		t.Error(diff)
	}
	h := NewChain(testKey).Next(Hash{}, Encode(r))
	if got, want := fmt.Sprintf("%x", h), "e566597083fb64e302b936e9d4afc0da999335e35e3be11997e045a2083157f6"; got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(Encode(record(3)))
	for name, bad := range map[string]string{
		"nothing":        "",
		"cut":            good[:len(good)-1],
		"more":           good + "0:,",
		"longer":         good + "x",
		"version":        strings.Replace(good, "audit 1", "audit 2", 1),
		"leading zero":   strings.Replace(good, "5:owner,", "05:owner,", 1),
		"plus":           strings.Replace(good, "5:owner,", "+5:owner,", 1),
		"negative":       strings.Replace(good, "5:owner,", "-5:owner,", 1),
		"no comma":       strings.Replace(good, "5:owner,", "5:owner;", 1),
		"huge":           strings.Replace(good, "5:owner,", "9223372036854775807:owner,", 1),
		"number in dots": strings.Replace(good, "1:3,", "2:03,", 1),
		"taint is cut":   strings.Replace(good, "4:1:a,,", "5:1:a,,", 1),
	} {
		if r, err := Decode([]byte(bad)); err == nil || !cmp.Equal(r, loci.AuditRecord{}) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestUntouched(t *testing.T) {
	rows, anchor := written(testKey, 50)
	want := loci.AuditReport{Rows: 50, Last: 50, Head: fmt.Sprintf("%x", rows[49].Hash), Problems: []loci.AuditProblem{}}
	if diff := cmp.Diff(want, verify(testKey, rows, anchor)); diff != "" {
		t.Error(diff)
	}
	_, behind := written(testKey, 40) // a kill between the commit and the anchor
	if diff := cmp.Diff(want, verify(testKey, rows, behind)); diff != "" {
		t.Error(diff)
	}
	empty := NewChain(testKey).Anchor(Head{})
	if got := verify(testKey, nil, empty); len(got.Problems) > 0 {
		t.Error(got)
	}
}

func TestTampered(t *testing.T) {
	other := bytes.Repeat([]byte{8}, loci.AuditKeySize)
	for name, tt := range map[string]struct {
		change func(rows []Row, anchor []byte) ([]Row, []byte)
		want   string // all problems
	}{
		"an entry": {func(r []Row, a []byte) ([]Row, []byte) {
			r[6].Entry = bytes.Replace(r[6].Entry, []byte("apr_1"), []byte("apr_2"), 1)
			return r, a
		}, "Row 7 was changed, or was not written by loci: its hash does not fit."},
		"a hash": {func(r []Row, a []byte) ([]Row, []byte) {
			r[6].Hash = append([]byte{r[6].Hash[0] ^ 1}, r[6].Hash[1:]...)
			return r, a
		}, "Row 7 was changed, or was not written by loci: its hash does not fit."},
		"a short hash": {func(r []Row, a []byte) ([]Row, []byte) {
			r[6].Hash = r[6].Hash[:31]
			return r, a
		}, "Row 7 was changed, or was not written by loci: its hash does not fit."},
		"a column": {func(r []Row, a []byte) ([]Row, []byte) {
			r[6].Tool = "read_file"
			return r, a
		}, "Row 7 was changed: its column tool is not what its entry says."},
		"a state": {func(r []Row, a []byte) ([]Row, []byte) {
			r[6].State = "done"
			return r, a
		}, "Row 7 was changed: its column state is not what its entry says."},
		"a damaged entry": {func(r []Row, a []byte) ([]Row, []byte) {
			r[6].Entry = r[6].Entry[1:]
			return r, a
		}, "Row 7 was changed: its entry cannot be read."},
		"a row is gone": {func(r []Row, a []byte) ([]Row, []byte) {
			return append(r[:6:6], r[7:]...), a
		}, "Row 7 is missing."},
		"the first rows are gone": {func(r []Row, a []byte) ([]Row, []byte) { return r[3:], a }, "Rows 1 to 3 are missing."},
		"the tail is gone": {func(r []Row, a []byte) ([]Row, []byte) { return r[:10], a },
			"The log ends at row 10, before its anchor at row 20: rows were removed, or an old copy of the database was put back."},
		"all is gone": {func(_ []Row, a []byte) ([]Row, []byte) { return nil, a },
			"The log ends at row 0, before its anchor at row 20: rows were removed, or an old copy of the database was put back."},
		"two rows in each other's place": {func(r []Row, a []byte) ([]Row, []byte) {
			r[6].N, r[7].N = 8, 7
			r[6], r[7] = r[7], r[6]
			return r, a
		}, "Row 7 was changed: it holds the entry of row 8.\nRow 8 was changed: it holds the entry of row 7.\nRow 9 cannot be checked, since the row before it is not the right one."},
		"a row too many": {func(r []Row, a []byte) ([]Row, []byte) {
			rec := record(21)
			return append(r, stored(rec, Encode(rec), Hash{1})), a
		}, "Row 21 was changed, or was not written by loci: its hash does not fit."},
		"a row before the first": {func(r []Row, a []byte) ([]Row, []byte) {
			rec := record(0)
			return append([]Row{stored(rec, Encode(rec), Hash{1})}, r...), a
		}, "Row 0 has a number that no row can have."},
		"all written anew without the key": {func(_ []Row, a []byte) ([]Row, []byte) {
			r, _ := written(other, 20)
			return r, a
		}, "None of the rows 1 to 20 fits the key: it is not the one they were written with, or they were all written anew without it."},
		"the end written anew without the key": {func(r []Row, a []byte) ([]Row, []byte) {
			c := NewChain(other)
			for i := 18; i < 20; i++ {
				h := c.Next(Hash(r[i-1].Hash), r[i].Entry)
				r[i].Hash = h[:]
			}
			return r, a
		}, "Row 19 was changed, or was not written by loci: its hash does not fit.\nRow 20 was changed, or was not written by loci: its hash does not fit."},
		"a forged anchor": {func(r []Row, _ []byte) ([]Row, []byte) {
			return r[:10], NewChain(other).Anchor(Head{10, Hash(r[9].Hash)})
		}, "The anchor of the log was changed, or was written with another key, so nobody can say whether rows are gone from its end."},
		"an anchor with another number": {func(r []Row, a []byte) ([]Row, []byte) {
			return r[:10], bytes.Replace(a, []byte("20 "), []byte("10 "), 1)
		}, "The anchor of the log was changed, or was written with another key, so nobody can say whether rows are gone from its end."},
		"an empty anchor": {func(r []Row, _ []byte) ([]Row, []byte) { return r, []byte{} },
			"The anchor of the log was changed, or was written with another key, so nobody can say whether rows are gone from its end."},
		"no anchor": {func(r []Row, _ []byte) ([]Row, []byte) { return r, nil },
			"The anchor of the log is missing, so nobody can say whether rows are gone from its end."},
		"an anchor of another log": {func(r []Row, _ []byte) ([]Row, []byte) {
			return r, NewChain(testKey).Anchor(Head{20, Hash{1}})
		}, "Row 20 is not the one that the anchor of the log names."},
	} {
		t.Run(name, func(t *testing.T) {
			rows, anchor := tt.change(written(testKey, 20))
			var got []string
			for _, p := range verify(testKey, rows, anchor).Problems {
				got = append(got, p.Text)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Each single bit of a row and of the anchor counts.
func TestEveryBit(t *testing.T) {
	rows, anchor := written(testKey, 3)
	for at := range rows[1].Entry {
		changed := append([]Row{}, rows...)
		changed[1].Entry = bytes.Clone(rows[1].Entry)
		changed[1].Entry[at] ^= 1 << (at % 8)
		if p := verify(testKey, changed, anchor).Problems; len(p) != 1 || p[0].N != 2 {
			t.Errorf("byte %d of the entry: %v", at, p)
		}
	}
	for at := range anchor {
		changed := bytes.Clone(anchor)
		changed[at] ^= 1 << (at % 8)
		if p := verify(testKey, rows, changed).Problems; len(p) != 1 {
			t.Errorf("byte %d of the anchor: %v", at, p)
		}
	}
}

// A log whose key was lost goes on under another one: what is before cannot be
// checked any more, what comes after can.
func TestNewKey(t *testing.T) {
	rows, _ := written(testKey, 10)
	other := bytes.Repeat([]byte{8}, loci.AuditKeySize)
	chain := NewChain(other)
	h := Head{10, Hash(rows[9].Hash)}
	for n := int64(11); n <= 20; n++ {
		r := record(n)
		if n == 11 {
			r.Kind, r.State, r.Result = loci.AuditLog, "", "The key was lost."
		}
		h = Head{n, chain.Next(h.Hash, Encode(r))}
		rows = append(rows, stored(r, Encode(r), h.Hash))
	}
	want := []loci.AuditProblem{
		{N: 1, Text: "None of the rows 1 to 10 fits the key: it is not the one they were written with, or they were all written anew without it."},
		{N: 11, Text: "Row 11 says: The key was lost."},
	}
	if diff := cmp.Diff(want, verify(other, rows, chain.Anchor(h)).Problems); diff != "" {
		t.Error(diff)
	}
	rows[14].Principal = "eve"
	if got := verify(other, rows, chain.Anchor(h)).Problems; len(got) != 3 || got[2].N != 15 && got[1].N != 15 && got[0].N != 15 {
		t.Error(got)
	}
}

func TestManyProblems(t *testing.T) {
	rows, anchor := written(testKey, 1000)
	for i := 500; i < 900; i++ {
		rows[i].Hash = make([]byte, 32)
	}
	r := verify(testKey, rows, anchor)
	if len(r.Problems) != shown || r.More != 300 || r.Problems[0].N != 501 {
		t.Errorf("%d problems and %d more, the first %+v", len(r.Problems), r.More, r.Problems[0])
	}
}

// The texts that people have tried to fool logs with come back byte for byte.
func TestUnicodeVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/unicode_log.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Cases []struct{ ID, Text string } }
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors.Cases) < 10 {
		t.Fatal(len(vectors.Cases), err)
	}
	for _, c := range vectors.Cases {
		want := record(1)
		want.Session, want.Tool, want.State, want.Result, want.Permit, want.Taint = c.Text, c.Text, loci.AuditState(c.Text), c.Text, c.Text, []string{c.Text, c.Text}
		got, err := Decode(Encode(want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", c.ID, err, diff)
		}
	}
}

// FuzzAudit holds that each record has bytes of its own, and that no other bytes
// stand for it.
func FuzzAudit(f *testing.F) {
	f.Add(Encode(record(1)), "owner", "ses_1", "a", "b", int64(3), int64(4))
	f.Add([]byte("12:loci audit 1,"), "1:a,", "", "0:,", "\n", int64(-1), int64(0))
	f.Fuzz(func(t *testing.T, entry []byte, a, b, c, d string, n, ms int64) {
		if r, err := Decode(entry); err == nil && !bytes.Equal(Encode(r), entry) {
			t.Errorf("%q is read as %+v, which is written as %q", entry, r, Encode(r))
		}
		ms %= 1 << 52 // what a time can hold
		want := loci.AuditRecord{
			N: n, Time: loci.Time{Time: time.UnixMilli(ms).UTC()}, Kind: loci.AuditKind(a), Intent: ms, Principal: b, Session: c, Turn: d,
			Tool: a, Taint: []string{b, c}, State: loci.AuditState(c), Result: d, Bytes: n, Digest: a,
		}
		if d != "" {
			want.Arguments = json.RawMessage(d)
		}
		got, err := Decode(Encode(want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		moved := want
		moved.Principal, moved.Session = b+c, ""
		if moved.Session != c && bytes.Equal(Encode(moved), Encode(want)) {
			t.Error("two records have the same bytes")
		}
		moved = want
		moved.State, moved.Result = "", string(want.State)+want.Result
		if want.State != "" && bytes.Equal(Encode(moved), Encode(want)) {
			t.Error("a state can be taken for a part of the sentence")
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	rows, anchor := written(testKey, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if r := verify(testKey, rows, anchor); len(r.Problems) > 0 {
			b.Fatal(r)
		}
	}
}
