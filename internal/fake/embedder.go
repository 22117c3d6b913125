package fake

import (
	"context"
	"hash/fnv"
	"math"
	"strings"
)

// An Embedder turns texts into vectors without a model: a bag of the texts'
// three-letter pieces, hashed into a unit vector. Texts that share words come
// out near each other, and the same text always gives the same vector.
type Embedder struct {
	Dim int // length of the vectors; 0: 64
}

// Embed returns one vector a text, in order.
func (e Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e.vectors(texts), nil
}

// vectors is Embed for those who have no context to give.
func (e Embedder) vectors(texts []string) [][]float32 {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = e.vector(text)
	}
	return vectors
}

// vector counts the pieces of one text. Words are padded with spaces, so that
// their beginnings and ends are pieces of their own.
func (e Embedder) vector(text string) []float32 {
	dim := e.Dim
	if dim <= 0 {
		dim = 64
	}
	v := make([]float32, dim)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		letters := []rune(" " + word + " ")
		for i := range len(letters) - 2 {
			h := fnv.New32a()
			_, _ = h.Write([]byte(string(letters[i : i+3]))) // never fails
			v[h.Sum32()%uint32(dim)]++
		}
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1 // a text without words still has a direction
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
