package agent_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/agent"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/model"
	"loci/internal/model/server"
)

// textual is the real embedded model in the text tier. Uncounted hides what its server has
// counted, as for one that does not tell; the model is then not asked anything.
type textual struct {
	*model.Hub
	uncounted bool
}

func (m textual) Profile(ctx context.Context, name string) (loci.Profile, error) {
	p, err := m.Hub.Profile(ctx, name)
	p.Tier, p.Markup = loci.TierText, loci.MarkupTool
	if m.uncounted {
		p.Counting = loci.Counting{}
	}
	return p, err
}

func (m textual) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	if !m.uncounted {
		return m.Hub.Chat(ctx, req)
	}
	return func(yield func(loci.Chunk, error) bool) {
		yield(loci.Chunk{Text: "A text.", Finish: loci.FinishStop}, nil)
	}
}

// realHub has the embedded model alone.
func realHub(t *testing.T) *model.Hub {
	s := embeddedtest.Start(t).Chat
	t.Cleanup(embeddedtest.Stop)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	h := model.New(model.Config{})
	t.Cleanup(h.Close)
	h.SetBackend("own", server.Backend{URL: s.URL(), Dialect: loci.OpenAI, Key: s.Key(), Kind: server.KindLlamaServer, Name: "own", Digest: s.Digest()})
	return h
}

// TestEstimateCounted holds the estimate of a session's first prompt, before it is sent,
// against what the real server then counts.
func TestEstimateCounted(t *testing.T) {
	h := realHub(t)
	file := func(name string, most int) string {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw[:min(len(raw), most)])
	}
	bytes := make([]byte, 500)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(bytes)
	for _, tc := range []struct {
		name, said string
		within     int // percent
	}{
		{"English", file("../../docs/permission.md", 1500), 6},
		{"code", file("lanes.go", 1500), 6},
		{"JSON", file("../offer/offertest/chat-ui.json", 1500), 6},
		{"base64", base64.StdEncoding.EncodeToString(bytes), 6},
		{"Chinese", strings.Repeat("上海图书馆新馆昨天正式开放，第一天就有两万多名读者前来参观。馆长表示，新馆藏书超过四百万册，还设有儿童阅览区和音乐厅。"+
			"许多市民带着孩子一早就来排队，大家都说这里环境安静、设备先进，是周末学习的好地方。记者了解到，读者可以用手机预约座位，也能在线查询图书。", 3), 6},
		{"Czech", strings.Repeat("Nová knihovna v Brně byla včera slavnostně otevřena a první den do ní přišlo přes dva tisíce čtenářů. "+
			"Ředitelka řekla, že budova má čtyři patra, dětské oddělení a kavárnu, kde se budou konat večerní přednášky.", 3), 6},
	} {
		estimate, counted := map[bool]int{}, 0
		for _, uncounted := range []bool{true, false} {
			w := newWorld(t, loci.TierText)
			w.agent.Close()
			w.agent = w.with(textual{h, uncounted})
			o := w.turn(loci.TurnRequest{Principal: owner, Resent: true, Options: loci.Options{MaxTokens: new(1)}, Message: loci.Message{Role: loci.User, Content: "What is this?\n" + tc.said}})
			step, err := w.agent.Debug(t.Context(), owner, o.session)
			if err != nil || step.Receipt == nil {
				t.Fatalf("%s: %+v, %v", tc.name, o, err)
			}
			estimate[uncounted], counted = step.Estimate, step.Receipt.Prompt
		}
		off := func(estimate int) float64 { return 100 * float64(estimate-counted) / float64(counted) }
		now := off(estimate[false])
		t.Logf("%-8s %5d tokens: estimated %+.1f %%, and %+.1f %% where the server does not tell", tc.name, counted, now, off(estimate[true]))
		if now > float64(tc.within) || now < -float64(tc.within) {
			t.Errorf("%s: the estimate of %d tokens is %d", tc.name, counted, estimate[false])
		}
	}
}

// condensed is the real embedded model in a small window, whose first reply is a call
// that it would not make itself.
type condensed struct {
	textual
	usages []loci.Usage
	said   []string
	why    []loci.Purpose
}

func (m *condensed) Profile(ctx context.Context, name string) (loci.Profile, error) {
	p, err := m.textual.Profile(ctx, name)
	p.Window, p.Constrain = 2048, loci.Yes
	return p, err
}

func (m *condensed) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	first := len(m.usages) == 0
	req.Options.MaxTokens = new(min(40, *cmp.Or(req.Options.MaxTokens, new(20))))
	return func(yield func(loci.Chunk, error) bool) {
		said := ""
		for c, err := range m.Hub.Chat(ctx, req) {
			said += c.Text
			if c.Usage != nil {
				m.usages, m.said, m.why = append(m.usages, *c.Usage), append(m.said, said), append(m.why, req.Purpose)
			}
			if c.Finish != "" && first {
				c = loci.Chunk{Text: `<tool>read_file(path="harbour.txt")</tool>`, Finish: loci.FinishStop, Usage: c.Usage}
			} else if first {
				c.Text = ""
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// TestCondenseReal has the real model read a long result in parts: its server, which has
// one slot, keeps the conversation all the time.
func TestCondenseReal(t *testing.T) {
	m := &condensed{textual: textual{Hub: realHub(t)}}
	w := newWorld(t, loci.TierText)
	w.long = agent.LongDigest
	w.tools.files["harbour.txt"] = strings.Repeat("The harbour was quiet in the morning, and the boats had not gone out yet. Nobody was on the pier but an old man with his dog. ", 15) +
		"The lighthouse keeper is called Ondřej Vlk. " + strings.Repeat("In the evening the boats came back with fish, and the bells of the church could be heard far over the water. ", 15)
	w.agent.Close()
	w.agent = w.with(m)
	o, told := w.notices("Read harbour.txt. Who is the lighthouse keeper?")
	if len(m.usages) < 3 || len(told) == 0 || !strings.Contains(told[0], "The result of read_file is too long") || o.finished.State != loci.TurnDone {
		t.Fatalf("%+v, told %q, %d calls", o.finished, told, len(m.usages))
	}
	for i, u := range m.usages[1:] {
		t.Logf("%s: %d tokens, %d in the cache, %q", m.why[i+1], u.Prompt, *u.Cached, m.said[i+1])
		if lost := m.usages[0].Prompt - *u.Cached; lost > 16 {
			t.Errorf("call %d: %d tokens of the conversation were lost", i+2, lost)
		}
	}
	last := len(m.why) - 1
	if m.why[last] != loci.PurposeStep || m.why[1] != loci.PurposeSummary {
		t.Errorf("the calls were %v", m.why)
	}
	step, err := w.agent.Debug(t.Context(), owner, o.session)
	// What the model makes of it is its own: it may ask for the same again.
	if err != nil || !slices.ContainsFunc(step.Request.Messages, func(m loci.Message) bool { return strings.Contains(m.Content, `{"digest":`) }) {
		t.Errorf("the model went on with %+v, %v", step.Request.Messages, err)
	}
}
