package e2e_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/embedded/embeddedtest"
)

// What a clock at the top of the prompt costs: the wall time of a loop of eight steps on
// the real engine as loci sends it, with the time in the newest message, and with the
// time of each call put in front on the way.
func TestClockFirstOrLast(t *testing.T) {
	if os.Getenv("LOCI_TEST_ALL") == "" {
		t.Skip("a measurement; run with LOCI_TEST_ALL=1")
	}
	engine := embeddedtest.Start(t)
	took := map[bool]time.Duration{}
	for _, first := range []bool{false, true} {
		p := &prompter{t: t, url: strings.TrimSuffix(engine.Chat.URL(), "/v1"), key: engine.Chat.Key(), clock: first}
		for i := range 7 {
			p.script = append(p.script, fmt.Sprintf(`<tool>calculate(expression="%d+1")</tool>`, i))
		}
		p.script = append(p.script, "Done.")
		proxy := httptest.NewServer(p)
		t.Cleanup(proxy.Close)
		in := serve(t, options{env: []string{"LOCI_TIER=text"}, args: []string{"--backend", proxy.URL + "/v1", "--allow", folder(t)}})
		began := time.Now()
		_, body := in.post("/api/agent/chat", map[string]any{"model": engine.Chat.Model(), "message": "Count for me.", "stream": false})
		took[first] = time.Since(began)
		var reply struct{ Receipt loci.Receipt }
		decode(t, body, &reply)
		r := reply.Receipt
		if r.Calls != 8 || r.Wasted == nil {
			t.Fatal(body)
		}
		t.Logf("clock first %v: %v for 8 steps, %d of %d tokens evaluated, %d wasted, broke %q", first, took[first], *r.Evaluated, r.Prompt, *r.Wasted, r.Broke)
		if first != (*r.Wasted > 1000) {
			t.Errorf("clock first %v wasted %d tokens", first, *r.Wasted)
		}
	}
	t.Logf("with the clock first the loop takes %.1f times as long", took[true].Seconds()/took[false].Seconds())
}
