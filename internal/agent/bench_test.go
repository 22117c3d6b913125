package agent_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/agent"
	"loci/internal/prompt"
	"loci/internal/store"
	"loci/internal/transcript"
)

// instant is a model that answers at once.
type instant struct{ asked time.Time }

func (instant) Profile(context.Context, string) (loci.Profile, error) {
	return loci.Profile{Tier: loci.TierNative, Window: 1 << 20}, nil
}

func (i *instant) Chat(context.Context, loci.Request) iter.Seq2[loci.Chunk, error] {
	i.asked = time.Now()
	return func(yield func(loci.Chunk, error) bool) {
		yield(loci.Chunk{Text: "Yes.", Finish: loci.FinishStop}, nil)
	}
}

// BenchmarkTurn is what the agent adds to a model call, without the wire: all
// of a turn, and as before-ms the part before the model is asked. Budget for
// that: 1 ms, or 3 ms with a prompt of 100 kB.
func BenchmarkTurn(b *testing.B) {
	for _, size := range []int{200, 100_000} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "loci.db"), slog.New(slog.DiscardHandler))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := db.StartAudit(b.Context(), store.AuditConfig{Key: make([]byte, loci.AuditKeySize), Anchor: filepath.Join(b.TempDir(), "audit.head")}); err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			m := &instant{}
			a := agent.New(agent.Config{
				Model: m, Tools: &shelf{}, Log: db, Approvals: db, Waits: db, Transcripts: transcript.Store{Sessions: db, Nodes: db}, Chooser: chooser{}, Logger: slog.New(slog.DiscardHandler),
				Settings: agent.Settings{Texts: prompt.Default(), MaxSteps: 12, KeptRounds: 4, Folders: func(loci.Principal) []string { return nil }},
			})
			defer a.Close()
			text := strings.Repeat("word ", size/5)
			var before time.Duration
			for b.Loop() {
				began := time.Now()
				for _, err := range a.Turn(b.Context(), loci.TurnRequest{Principal: owner, Resent: true, Message: loci.Message{Role: loci.User, Content: text}}) {
					if err != nil {
						b.Fatal(err)
					}
				}
				before += m.asked.Sub(began)
			}
			b.ReportMetric(float64(before.Microseconds())/float64(b.N)/1000, "before-ms")
		})
	}
}
