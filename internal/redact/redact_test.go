package redact

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
)

// awkward is a secret with letters that every encoding writes in its own way.
const awkward = `pä/ss&"w\o<r>d+1 %`

func TestKnown(t *testing.T) {
	r := New(awkward, "hunter-synthetic", "hunter", "short", "ollama")
	quoted, _ := json.Marshal(awkward)
	twice, _ := json.Marshal(string(quoted))
	for name, said := range map[string]string{
		"plain":              awkward,
		"in a word":          "x" + awkward + "x",
		"JSON":               string(quoted),
		"JSON in JSON":       string(twice),
		"JSON of Python":     `"p\u00e4/ss&\"w\\o<r>d+1 %"`,
		"JSON of PHP":        `"pä\/ss&\"w\\o<r>d+1 %"`,
		"Go":                 fmt.Sprintf("%q", awkward),
		"Go in ASCII":        fmt.Sprintf("%+q", awkward),
		"query":              "q=" + url.QueryEscape(awkward),
		"path":               "/a/" + url.PathEscape(awkward) + "/b",
		"JavaScript":         "p%C3%A4%2Fss%26%22w%5Co%3Cr%3Ed%2B1%20%25",
		"small escapes":      "p%c3%a4%2fss%26%22w%5co%3cr%3ed%2b1%20%25",
		"user info":          (&url.URL{Scheme: "postgres", User: url.UserPassword("u", awkward), Host: "db"}).String(),
		"HTML":               "pä/ss&amp;&#34;w\\o&lt;r&gt;d+1 %",
		"Base64":             base64.StdEncoding.EncodeToString([]byte(awkward)),
		"Base64 behind one":  base64.StdEncoding.EncodeToString([]byte("u" + awkward + "tail")),
		"Base64 behind two":  base64.URLEncoding.EncodeToString([]byte("u:" + awkward)),
		"Base64 of a header": base64.RawURLEncoding.EncodeToString([]byte("user:" + awkward + "\n")),
	} {
		got := r.Known().Text(said)
		if !strings.Contains(got, Mask) || len(got) > len(said)-len(awkward)/2+len(Mask) {
			t.Errorf("%s: %s became %s", name, said, got)
		}
	}
	for said, want := range map[string]string{
		"hunters hunter-synthetic hunter-": Mask + "s " + Mask + " " + Mask + "-",
		"hunter-synthetihunter":            Mask + "-syntheti" + Mask,
		"hunterhunter":                     Mask,
		"it was cut: hunter-synth…":        "it was cut: " + Mask + "…",
		"it was cut: hunter-sy... Then":    "it was cut: " + Mask + "... Then",
		"hunte… hunte":                     "hunte… hunte",
		"a short word":                     "a short word",
		"Ollama at ollama":                 "Ollama at ollama",
		"":                                 "",
	} {
		if got := r.Known().Text(said); got != want {
			t.Errorf("%q became %q, not %q", said, got, want)
		}
	}
	for _, none := range []*Redactor{nil, {}} {
		if got := none.Known().Text("hunter"); got != "hunter" {
			t.Error(got)
		}
		if got := none.Text("password=hunter"); got != "password="+Mask {
			t.Error(got)
		}
	}
}

// What is secret in a secret is one by itself.
func TestPartsOfSecrets(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
	r := New("postgres://loci:pw%2Fwith-slash@db:5432/x", "host=db password='other-pass' user=u", key)
	for _, said := range []string{"pw%2Fwith-slash", "pw/with-slash", "other-pass", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", key} {
		if got := r.Known().Text("it is " + said + "."); got != "it is "+Mask+"." && got != "it is "+Mask+"\n." {
			t.Errorf("%q became %q", said, got)
		}
	}
	if said := "the host is db, the user u, of -----BEGIN"; r.Known().Text(said) != said {
		t.Error(r.Known().Text(said))
	}
}

func TestShapes(t *testing.T) {
	r := New()
	for said, want := range map[string]string{
		// Headers.
		"Authorization: Bearer abc":                                       "Authorization: Bearer " + Mask,
		"authorization: abc, then more":                                   "authorization: " + Mask + ", then more",
		"curl -H 'X-Api-Key: KEYKEY42' https://example.org":               "curl -H 'X-Api-Key: " + Mask + "' https://example.org",
		"map[Authorization:[Bearer abc] X-Api-Key:[KEYKEY42]]":            "map[Authorization:[Bearer " + Mask + "] X-Api-Key:[" + Mask + "]]",
		"Cookie: a=b; c=d\nHost: x":                                       "Cookie: " + Mask + "\nHost: x",
		"it wants a bearer 1234567890abcdef":                              "it wants a bearer " + Mask,
		"Basic dXNlcjpwYXNzd29yZA== is what it got":                       "Basic " + Mask + " is what it got",
		"Authorization: Basic dXNlcjpwYXNzd29yZA==":                       "Authorization: Basic " + Mask,
		"the backend said: bad header Authorization: Bearer sk-a1 (401).": "the backend said: bad header Authorization: Bearer " + Mask + " (401).",
		// Parameters, variables and members.
		"GET https://example.org/x?token=ZXCV1234&q=1": "GET https://example.org/x?token=" + Mask + "&q=1",
		"https://x/?api_key=a&access-token=b&max=3":    "https://x/?api_key=" + Mask + "&access-token=" + Mask + "&max=3",
		"TOKEN=tok-777":                                 "TOKEN=" + Mask,
		"export DB_PASSWORD = 'a b c' # note":           "export DB_PASSWORD = '" + Mask + "' # note",
		`{"password":"a\"b","user":"u"}`:                `{"password":"` + Mask + `","user":"u"}`,
		`{\"client_secret\":\"a\\\"b\",\"user\":\"u\"}`: `{\"client_secret\":\"` + Mask + `\",\"user\":\"u\"}`,
		"{Key:0123456789abcdef Name:x}":                 "{Key:" + Mask + " Name:x}",
		"password: hunter2hunter2":                      "password: " + Mask,
		"key=0123456789abcdef":                          "key=" + Mask,
		`password="never closed`:                        `password="` + Mask,
		// URLs.
		`db_connect "postgres://u:pw-9f@db/x"`:       `db_connect "postgres://u:` + Mask + `@db/x"`,
		"amqp://u:p/w@host:5672/v":                   "amqp://u:" + Mask + "@host:5672/v",
		"redis://:pw@host":                           "redis://:" + Mask + "@host",
		"https://0123456789abcdef@github.com/a/b":    "https://" + Mask + "@github.com/a/b",
		"http://127.0.0.1:8080/a@b and http://[::1]": "http://127.0.0.1:8080/a@b and http://[::1]",
		// Tokens.
		"key sk-test-AAAA1111BBBB, ghp_0123456789abcdefghij.":                           "key " + Mask + ", " + Mask + ".",
		"xoxb-123456789012-abc AKIAIOSFODNN7EXAMPLE":                                    Mask + " " + Mask,
		"loci_ABCDEFGHIJKLMNOPQRSTUVWXYZ":                                               Mask,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n": Mask,
		"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nb":    "a\n" + Mask + "\nb",
		"-----BEGIN PRIVATE KEY-----\nMIIB":                                             Mask,
		"AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQ":                                  Mask,
		// And what is none.
		"max_tokens=512 tokens: 20, keyboard: us, key=Enter": "max_tokens=512 tokens: 20, keyboard: us, key=Enter",
		"task-force-12 asks; the key: see below; a token: x": "task-force-12 asks; the key: see below; a token: x",
		"the secret:backend2024key of the setting is absent": "the secret:backend2024key of the setting is absent",
		"loci_0197f3a2-1111-7222-8333-944444444444":          "loci_0197f3a2-1111-7222-8333-944444444444",
		"-----BEGIN CERTIFICATE-----\nMIIB":                  "-----BEGIN CERTIFICATE-----\nMIIB",
		"if token == nil { password=null }":                  "if token == nil { password=null }",
		"basic authentication, bearer of news, password=":    "basic authentication, bearer of news, password=",
		"token=" + Mask + "&q=1":                             "token=" + Mask + "&q=1",
	} {
		if got := r.Text(said); got != want {
			t.Errorf("%q became\n%q, not\n%q", said, got, want)
		}
	}
}

func TestBoth(t *testing.T) {
	r := New("abcdef", "ghijkl")
	for said, want := range map[string]string{
		"token=xabcdefx ghijkl": "token=" + Mask + " " + Mask,
		"ghijkl token=a abcdef": Mask + " token=" + Mask + " " + Mask,
		"password=" + "abcdef":  "password=" + Mask,
	} {
		if got := r.Text(said); got != want {
			t.Errorf("%q became %q, not %q", said, got, want)
		}
	}
}

func TestNothingToMaskCostsNothing(t *testing.T) {
	r := New("sk-test-AAAA1111BBBB", "hunter-synthetic", awkward)
	line := "a turn finished: stage=turn state=done steps=3 model=qwen3:4b url=http://127.0.0.1:11434/v1 key of the session, and so on"
	if got := r.Text(line); got != line {
		t.Fatal(got)
	}
	if n := testing.AllocsPerRun(100, func() { r.Text(line); r.Known().Text(line) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// No way to cut a text lets a secret through.
func TestStream(t *testing.T) {
	r := New("hunter-synthetic", "synthetic-two", "aaaaaa", awkward)
	for _, said := range []string{
		"x hunter-synthetic-two y", "aaaaaaaaaaaaab", "hunter-synthetihunter-synthetic", "hunter-", awkward + awkward, "no secret", "aaaaa",
		"hunter-synthetichunter-synthetic", "-synthetic-two",
	} {
		want := r.Known().Text(said)
		for i := 0; i <= len(said); i++ {
			for j := i; j <= len(said); j++ {
				if got := streamed(t, r, said[:i], said[i:j], said[j:]); got != want {
					t.Fatalf("%q | %q | %q became %q, not %q", said[:i], said[i:j], said[j:], got, want)
				}
			}
		}
		if got := streamed(t, r, strings.Split(said, "")...); got != want {
			t.Errorf("%q by letters became %q, not %q", said, got, want)
		}
	}
}

// What cannot be the beginning of a secret is not held back.
func TestStreamHoldsNoMoreThanItMust(t *testing.T) {
	var out strings.Builder
	s := New("hunter-synthetic").Stream(&out)
	for _, step := range []struct{ in, out string }{{"a hunt", "a "}, {"ing b", "a hunting b"}, {"hunter-synthetic", "a hunting b" + Mask}, {"!", "a hunting b" + Mask + "!"}} {
		if _, err := s.Write([]byte(step.in)); err != nil || out.String() != step.out {
			t.Errorf("after %q: %q, %v", step.in, out.String(), err)
		}
	}
}

// A reader gives the same, and the error of the one behind it in its place.
func TestReader(t *testing.T) {
	r := New("hunter-synthetic")
	said := "a hunter-synthetic b hunter-"
	for name, from := range map[string]io.Reader{
		"whole": strings.NewReader(said), "bytes": iotest.OneByteReader(strings.NewReader(said)), "halves": iotest.HalfReader(strings.NewReader(said)), "error with data": iotest.DataErrReader(strings.NewReader(said)),
	} {
		if got, err := io.ReadAll(r.Reader(from)); string(got) != r.Known().Text(said) || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	broken := errors.New("broken")
	got, err := io.ReadAll(r.Reader(io.MultiReader(strings.NewReader(said), iotest.ErrReader(broken))))
	if string(got) != r.Known().Text(said) || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
}

func streamed(t testing.TB, r *Redactor, pieces ...string) string {
	t.Helper()
	var out strings.Builder
	s := r.Stream(&out)
	for _, p := range pieces {
		if n, err := s.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAddWhileInUse(t *testing.T) {
	r := New()
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range 50 {
			r.Add(fmt.Sprintf("secret-number-%d", i))
		}
	}()
	for range 50 {
		r.Known().Text("secret-number-7")
	}
	<-done
	if got := r.Known().Text("secret-number-7 secret-number-49"); got != Mask+" "+Mask {
		t.Error(got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("token=abc hunter-synthetic", "hunter-synthetic")
	f.Add("aaaaaaaaa…", "aaaaaab")
	f.Add(`{"password":"x\"y"}`, awkward)
	f.Add("postgres://u:p@h eyJabcdefghijk.abcdefghijk.x -----BEGIN PRIVATE KEY-----", "eyJabcdef")
	f.Fuzz(func(t *testing.T, said, secret string) {
		r := New(secret)
		got := r.Text(said)
		if known := r.Known().Text(said); strings.Count(known, Mask) == 0 && known != said {
			t.Errorf("%q became %q", said, known)
		}
		// Where a secret looks like the mask itself, nothing can be said.
		if len([]rune(secret)) >= Shortest && !strings.ContainsAny(secret, "[]") && !strings.Contains(Mask, secret) && !standIns[strings.ToLower(secret)] &&
			(strings.Contains(got, secret) || strings.Contains(r.Known().Text(said), secret)) {
			t.Errorf("%q is in %q", secret, got)
		}
		cut := len(said) / 2
		if whole, parts := r.Known().Text(said), streamed(t, r, said[:cut], said[cut:]); whole != parts && !strings.ContainsAny(said, "….") {
			t.Errorf("%q became %q, and in two pieces %q", said, whole, parts)
		}
	})
}
