package intent

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"loci"
)

const (
	// atOnce is how many texts the embedder is given together while somebody may come who
	// needs it. More are hardly faster: it works on them one after the other.
	atOnce = 8
	// mostKnown is how many vectors are kept; 6 MB of MiniLM's. What a request needs is
	// kept beyond that.
	mostKnown = 4096
	// sameModel is the least cosine of two vectors of a text that one model made. Those of
	// other models, or of the same one in another precision, are further apart.
	sameModel = 0.9999
)

// learned are the vectors of texts that requests are compared with. Each is made when it
// is first needed, or when there is time for it, and kept for the next start too.
type learned struct {
	embedder Embedder
	keeper   Keeper // may be nil
	log      *slog.Logger
	// learning is held by the one request that embeds texts, for all others. It is no
	// mutex, so that those can stop waiting when their context ends.
	learning chan struct{}
	recalled string // the space of which was looked what is kept; with learning

	mu    sync.Mutex // never held across a call of the embedder
	space string     // of the vectors in known
	known map[string][]float32
}

func newLearned(c Config, log *slog.Logger) *learned {
	return &learned{embedder: c.Embedder, keeper: c.Keeper, log: log, learning: make(chan struct{}, 1)}
}

// vectors gives the vectors of texts in a space, and makes those that are not known yet.
// Requests that come at once make them once.
func (l *learned) vectors(ctx context.Context, texts []string, space string) (map[string][]float32, error) {
	known, missing := l.lookUp(texts, space)
	if len(missing) == 0 {
		return known, nil
	}
	err := l.alone(ctx, func() error {
		fresh, err := l.learn(ctx, texts, space)
		if fresh && ctx.Err() == nil {
			l.keep(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if known, missing = l.lookUp(texts, space); len(missing) > 0 {
		return nil, loci.Errorf(loci.Internal, "Another embedding model is used since a moment ago.")
	}
	return known, nil
}

// prepare makes the vectors of texts while nobody needs the embedder: between each few it
// waits for pause, and a request that comes in between makes the rest itself. What was
// made is kept, also when ctx ends before all is.
func (l *learned) prepare(ctx context.Context, texts []string, pause func(context.Context) error) error {
	_, space, err := l.embed(ctx, texts[:1])
	if err != nil {
		return err
	}
	made := false
	defer func() {
		if made {
			l.keep(context.WithoutCancel(ctx))
		}
	}()
	for {
		some := false
		err := l.alone(ctx, func() (err error) {
			l.recall(ctx, space)
			_, texts = l.lookUp(texts, space)
			some, err = l.learn(ctx, texts[:min(len(texts), atOnce)], space)
			return err
		})
		made = made || some
		if err != nil || !some {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// alone runs f while no other request learns.
func (l *learned) alone(ctx context.Context, f func() error) error {
	select {
	case l.learning <- struct{}{}:
		defer func() { <-l.learning }()
		return f()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// learn makes what is missing of the vectors of texts, and tells whether it made any. The
// caller is alone.
func (l *learned) learn(ctx context.Context, texts []string, space string) (fresh bool, err error) {
	l.recall(ctx, space)
	_, missing := l.lookUp(texts, space)
	for part := range slices.Chunk(missing, atOnce) {
		made, in, err := l.embed(ctx, part)
		if err != nil {
			return fresh, err
		}
		if in != space { // the caller sees that they are missing
			return fresh, nil
		}
		l.add(space, part, made, texts)
		fresh = true
	}
	return fresh, nil
}

// add takes over vectors that were made for a request with certain texts.
func (l *learned) add(space string, texts []string, vectors [][]float32, needed []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.space != space {
		return
	}
	if len(l.known)+len(texts) > mostKnown {
		maps.DeleteFunc(l.known, func(t string, _ []float32) bool { return !slices.Contains(needed, t) })
	}
	for i, t := range texts {
		l.known[t] = vectors[i]
	}
}

// enter forgets what is known of another space than this. The caller holds mu.
func (l *learned) enter(space string) {
	if l.space != space {
		l.space, l.known = space, map[string][]float32{}
	}
}

// lookUp gives the vectors that are known, and which are not.
func (l *learned) lookUp(texts []string, space string) (known map[string][]float32, missing []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(space)
	known = make(map[string][]float32, len(texts))
	for _, t := range texts {
		if v, ok := l.known[t]; ok {
			known[t] = v
		} else {
			missing = append(missing, t)
		}
	}
	slices.Sort(missing) // the same ones go to the embedder together, whoever asks
	return known, slices.Compact(missing)
}

// recall takes over what was kept of a space, once. The caller is alone.
func (l *learned) recall(ctx context.Context, space string) {
	if l.keeper == nil || l.recalled == space {
		return
	}
	kept, err := l.sound(ctx, space)
	if ctx.Err() != nil {
		return
	}
	l.recalled = space
	if err != nil {
		l.log.WarnContext(ctx, "the vectors of examples are made anew", "error", err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(space)
	maps.Copy(l.known, kept)
}

// sound gives what was kept of a space and is not damaged. One text is embedded anew, since
// under the same name there may be another model by now.
func (l *learned) sound(ctx context.Context, space string) (map[string][]float32, error) {
	kept, err := l.keeper.Vectors(ctx, space)
	maps.DeleteFunc(kept, func(_ string, v []float32) bool { return !(math.Abs(dot(v, v)-1) < 1-sameModel) }) // NaN too
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	sample := slices.Max(slices.Collect(maps.Keys(kept)))
	made, now, err := l.embed(ctx, []string{sample})
	if err != nil || now != space {
		return nil, err
	}
	if dot(made[0], kept[sample]) < sameModel {
		return nil, nil
	}
	maps.DeleteFunc(kept, func(_ string, v []float32) bool { return len(v) != len(made[0]) })
	return kept, nil
}

// keep keeps what is known now.
func (l *learned) keep(ctx context.Context) {
	if l.keeper == nil {
		return
	}
	l.mu.Lock()
	space, known := l.space, maps.Clone(l.known)
	l.mu.Unlock()
	if err := l.keeper.KeepVectors(ctx, space, known); err != nil {
		l.log.WarnContext(ctx, "the vectors of examples are not kept", "error", err.Error())
	}
}

// embed gives a vector of length 1 for each text, all of the same size, and names the
// space they are in: the model that made them, and their size.
func (l *learned) embed(ctx context.Context, texts []string) (vectors [][]float32, space string, err error) {
	vectors, model, err := l.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, "", err
	}
	if len(vectors) != len(texts) || len(texts) == 0 {
		return nil, "", loci.Errorf(loci.Internal, "The embedder gave %d vectors for %d texts.", len(vectors), len(texts))
	}
	units := make([][]float32, len(vectors))
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, "", loci.Errorf(loci.Internal, "The embedder gave vectors of the lengths %d and %d.", len(vectors[0]), len(v))
		}
		units[i] = unit(v)
	}
	return units, model + " " + strconv.Itoa(len(vectors[0])), nil
}

// unit scales a vector to length 1.
func unit(v []float32) []float32 {
	n := math.Sqrt(dot(v, v))
	if n == 0 {
		return v
	}
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / n)
	}
	return u
}

// dot is the product of two vectors; 0 if they are not of one length.
func dot(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
