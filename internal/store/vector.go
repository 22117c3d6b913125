package store

import (
	"context"
	"encoding/binary"
	"math"
)

const (
	vectorsOf   = `SELECT text, data FROM vector WHERE model = ?`
	dropVectors = `DELETE FROM vector`
	putVector   = `INSERT INTO vector (text, model, data) VALUES (?, ?, ?)`
)

// vector is a row of the table.
type vector struct {
	text    string
	numbers []float32
}

// Vectors gives the vectors that were kept of a model, by their texts.
func (db *DB) Vectors(ctx context.Context, model string) (map[string][]float32, error) {
	rows, err := list(ctx, db, scanVector, vectorsOf, model)
	if err != nil {
		return nil, err
	}
	vectors := make(map[string][]float32, len(rows))
	for _, r := range rows {
		vectors[r.text] = r.numbers
	}
	return vectors, nil
}

// KeepVectors keeps the vectors of a model in place of all that were kept, of other
// models too.
func (db *DB) KeepVectors(ctx context.Context, model string, vectors map[string][]float32) error {
	return db.inTx(ctx, func(t *tx) error {
		if _, err := t.exec(dropVectors); err != nil {
			return err
		}
		for text, numbers := range vectors {
			if _, err := t.exec(putVector, text, model, floatBytes(numbers)); err != nil {
				return err
			}
		}
		return nil
	})
}

func scanVector(scan scanner) (v vector, err error) {
	var data []byte
	err = scan(&v.text, &data)
	v.numbers = floats(data)
	return v, err
}

// floatBytes writes numbers as the table has them.
func floatBytes(numbers []float32) []byte {
	data := make([]byte, 0, 4*len(numbers))
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// floats reads them back. What is left over at the end is no number.
func floats(data []byte) []float32 {
	numbers := make([]float32, len(data)/4)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return numbers
}
