package wire

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"loci"
)

const testMax = 1 << 20

// collect reads a stream to its end or first error.
func collect[T any](seq iter.Seq2[T, error]) (list []T, err error) {
	for v, err := range seq {
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
	return list, nil
}

func lines(r io.Reader, max int) (list []string, err error) {
	for line, err := range Lines(r, max) {
		if err != nil {
			return list, err
		}
		list = append(list, string(line))
	}
	return list, nil
}

type vector struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Chunks [][]byte `json:"chunks_b64"`
	Events []struct {
		Data  string `json:"data"`
		Event string `json:"event"`
		ID    string `json:"id"`
	} `json:"events"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	raw, err := os.ReadFile("testdata/sse.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []vector }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no vectors")
	}
	return file.Cases
}

func (v vector) input() string {
	var s strings.Builder
	for _, c := range v.Chunks {
		s.Write(c)
	}
	return s.String()
}

func TestEventsVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.ID+" "+v.Name, func(t *testing.T) {
			var want []Event
			for _, e := range v.Events {
				want = append(want, Event{Type: e.Event, Data: e.Data, ID: e.ID})
			}
			in := v.input()
			got, err := collect(Events(strings.NewReader(in), testMax))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("events (-want +got):\n%serror %v", diff, err)
			}
			got, err = collect(Events(iotest.OneByteReader(strings.NewReader(in)), testMax))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("events byte by byte (-want +got):\n%serror %v", diff, err)
			}
			for at := range len(in) {
				split := io.MultiReader(strings.NewReader(in[:at]), strings.NewReader(in[at:]))
				got, err = collect(Events(split, testMax))
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Fatalf("events split at %d (-want +got):\n%serror %v", at, diff, err)
				}
			}
		})
	}
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name, in string
		lenient  bool
		want     []Event
	}{
		{"id stays", "id: 7\ndata: a\n\ndata: b\n\n", false, []Event{{Data: "a", ID: "7"}, {Data: "b", ID: "7"}}},
		{"mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", false, []Event{{Data: "a\nb\nc"}}},
		{"empty data", "data\n\n", false, []Event{{Data: ""}}},
		{"second BOM is text", "data: a\n\n\ufeffdata: b\n\n", false, []Event{{Data: "a"}}},
		{"truncated character", "data: a\xe4\xbd b\n\n", false, []Event{{Data: "a\ufffd b"}}},
		{"three broken bytes", "data: \xf0\x80\x80\n\n", false, []Event{{Data: "\ufffd\ufffd\ufffd"}}},
		{"unknown fields", "retry: 10\nfoo: bar\ndata: a\n\n", false, []Event{{Data: "a"}}},
		{"error line is nothing", "error: {}\n\ndata: a\n\n", false, []Event{{Data: "a"}}},
		{"bare JSON is nothing", "{\"error\":1}\n", false, nil},
		{"lenient error line", "error: {\"code\":400}\n\ndata: [DONE]\n\n", true, []Event{{Type: EventError, Data: `{"code":400}`}, {Data: "[DONE]"}}},
		{"lenient error line at once", "error: x\ndata: a\n\n", true, []Event{{Type: EventError, Data: "x"}, {Data: "a"}}},
		{"lenient bare JSON", `{"error":{"message":"no: way"}}`, true, []Event{{Data: `{"error":{"message":"no: way"}}`}}},
		{"lenient end without blank line", "data: a\n\ndata: b\n", true, []Event{{Data: "a"}, {Data: "b"}}},
		{"lenient end without line end", "data: a\n\ndata: b", true, []Event{{Data: "a"}, {Data: "b"}}},
		{"lenient end of nothing", "data: a\n\n", true, []Event{{Data: "a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Reader{R: strings.NewReader(tt.in), Max: testMax, Lenient: tt.lenient}
			got, err := collect(r.Events())
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("events (-want +got):\n%serror %v", diff, err)
			}
		})
	}
}

func TestEventsStopEarly(t *testing.T) {
	n := 0
	for range Events(strings.NewReader("data: a\n\ndata: b\n\n"), testMax) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("got %d events after a break", n)
	}
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"two in one read", "{}\n[]\n", []string{"{}", "[]"}},
		{"last without newline", "{}\n[]", []string{"{}", "[]"}},
		{"carriage returns and blank lines", "{}\r\n\r\n\n  \n[]\r\n", []string{"{}", "[]"}},
		{"lone carriage return is part of the line", "1\r2\n", []string{"1\r2"}},
		{"empty", "", nil},
		{"70 KiB", strings.Repeat("x", 70<<10) + "\n{}\n", []string{strings.Repeat("x", 70<<10), "{}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{
				strings.NewReader(tt.in),
				iotest.OneByteReader(strings.NewReader(tt.in)),
				iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, err := lines(r, testMax)
				if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
					t.Errorf("lines (-want +got):\n%serror %v", diff, err)
				}
			}
		})
	}
}

func TestReadErrorsArePassedOn(t *testing.T) {
	boom := errors.New("connection reset")
	in := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s), iotest.ErrReader(boom)) }
	got, err := lines(in("{}\n{\"a\":"), testMax)
	if !errors.Is(err, boom) || !cmp.Equal(got, []string{"{}"}) {
		t.Errorf("Lines: %q, %v; want the whole line, then the error", got, err)
	}
	for _, lenient := range []bool{false, true} {
		events, err := collect(Reader{R: in("data: a\n\ndata: b\n"), Max: testMax, Lenient: lenient}.Events())
		if !errors.Is(err, boom) || !cmp.Equal(events, []Event{{Data: "a"}}) {
			t.Errorf("Events, lenient %v: %v, %v; want the whole event, then the error", lenient, events, err)
		}
	}
	if _, err := lines(stuck{}, testMax); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that never gives anything: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// endless is a line of n bytes that counts how much of it was read.
type endless struct{ left, read int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	for i := range b[:n] {
		b[i] = 'x'
	}
	e.left -= n
	e.read += n
	return n, nil
}

func TestLongLines(t *testing.T) {
	const three, sixtyFour = 3 << 20, 64 << 20
	got, err := lines(&endless{left: three}, DefaultMaxLine)
	if err != nil || len(got) != 1 || len(got[0]) != three {
		t.Errorf("a line of 3 MiB: %d lines, %v", len(got), err)
	}
	events, err := collect(Events(io.MultiReader(strings.NewReader("data:"), &endless{left: three}, strings.NewReader("\n\n")), DefaultMaxLine))
	if err != nil || len(events) != 1 || len(events[0].Data) != three {
		t.Errorf("an event of 3 MiB: %d events, %v", len(events), err)
	}

	for name, read := range map[string]func(io.Reader) error{
		"Lines":  func(r io.Reader) error { _, err := lines(r, DefaultMaxLine); return err },
		"Events": func(r io.Reader) error { _, err := collect(Events(r, DefaultMaxLine)); return err },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		src := &endless{left: sixtyFour}
		err := read(src)
		runtime.ReadMemStats(&after)
		if e, ok := errors.AsType[*loci.Error](err); !ok || e.Code != loci.Truncated {
			t.Errorf("%s of 64 MiB: error %v, want code truncated", name, err)
		}
		if src.read > DefaultMaxLine+2*firstBuffer {
			t.Errorf("%s read %d bytes of a line before it gave up", name, src.read)
		}
		if total := after.TotalAlloc - before.TotalAlloc; total > 4*DefaultMaxLine {
			t.Errorf("%s allocated %d bytes for a line that is too long", name, total)
		}
	}
}

func TestLongEvent(t *testing.T) {
	in := strings.Repeat("data: 0123456789\n", 100) + "\n"
	if _, err := collect(Events(strings.NewReader(in), 500)); loci.AsError(err) == nil || loci.AsError(err).Code != loci.Truncated {
		t.Errorf("an event of many lines: error %v, want code truncated", err)
	}
	if got, err := collect(Events(strings.NewReader(in), 1100)); err != nil || len(got) != 1 {
		t.Errorf("an event below the bound: %d events, %v", len(got), err)
	}
}

func FuzzEvents(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.input()), uint8(3))
	}
	f.Add([]byte("error: {}\r\r\n{\"a\":1}\ndata: \xff\xe4\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		whole, wholeErr := collect(Events(strings.NewReader(string(in)), 64))
		parts, partsErr := collect(Events(&stepReader{b: in, step: int(step)%7 + 1}, 64))
		if diff := cmp.Diff(whole, parts); diff != "" || (wholeErr == nil) != (partsErr == nil) {
			t.Fatalf("the events depend on how they are read:\n%s%v, %v", diff, wholeErr, partsErr)
		}
		for _, e := range whole {
			if len(e.Data) > 3*64 || strings.ToValidUTF8(e.Data, "") != e.Data {
				t.Fatalf("bad event %q", e)
			}
		}
		lenient, _ := collect(Reader{R: strings.NewReader(string(in)), Max: 64, Lenient: true}.Events())
		for _, e := range lenient {
			if len(e.Data) > 3*64 {
				t.Fatalf("lenient event of %d bytes", len(e.Data))
			}
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\n{\"a\":1}\r\n\n[]"), uint8(2))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		whole, wholeErr := lines(strings.NewReader(string(in)), 64)
		parts, partsErr := lines(&stepReader{b: in, step: int(step)%7 + 1}, 64)
		if diff := cmp.Diff(whole, parts); diff != "" || (wholeErr == nil) != (partsErr == nil) {
			t.Fatalf("the lines depend on how they are read:\n%s%v, %v", diff, wholeErr, partsErr)
		}
		if wholeErr != nil {
			return
		}
		var want []string
		for line := range strings.SplitSeq(string(in), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				want = append(want, line)
			}
		}
		if diff := cmp.Diff(want, whole); diff != "" {
			t.Fatal(diff)
		}
	})
}

// stepReader gives a few bytes a read.
type stepReader struct {
	b    []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.step)], r.b)
	r.b = r.b[n:]
	return n, nil
}

func BenchmarkEvents(b *testing.B) {
	const event = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"tok \"}}]}\n\n"
	in := strings.Repeat(event, 1000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		n := 0
		for _, err := range Events(strings.NewReader(in), testMax) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1000 {
			b.Fatal(n)
		}
	}
}
