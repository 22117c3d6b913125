package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// target is a chat endpoint.
type target struct {
	name, base, model, key string
}

// workload is one kind of request.
type workload struct {
	name   string
	bytes  int // of the prompt
	stream bool
	rounds int
}

const warmup = 50 // requests to each target that do not count

// measure sends the requests, one to each target a round, starting with another
// target each time, and prints what each adds to the first.
func (l workload) measure(ctx context.Context, targets []target) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4, DisableCompression: true}}
	first := make([][]time.Duration, len(targets))
	whole := make([][]time.Duration, len(targets))
	failed := make([]int, len(targets))
	for i := range warmup + l.rounds {
		for j := range targets {
			k := (i + j) % len(targets)
			f, w, err := targets[k].call(ctx, client, l)
			if err != nil {
				// The bare reverse proxy breaks off a stream now and then when the
				// reply overtakes the end of the request.
				if failed[k]++; failed[k] > 1+l.rounds/50 {
					return fmt.Errorf("%s: %w", targets[k].name, err)
				}
				continue
			}
			if i >= warmup {
				first[k], whole[k] = append(first[k], f), append(whole[k], w)
			}
		}
	}
	fmt.Printf("\n%s, %d requests each\n%-20s %10s %10s %10s %12s\n", l.name, l.rounds, "", "p50", "added p50", "added p99", "added first")
	for k, t := range targets {
		fmt.Printf("%-20s %10s %10s %10s %12s\n", t.name, round(at(whole[k], 50)),
			round(at(whole[k], 50)-at(whole[0], 50)), round(at(whole[k], 99)-at(whole[0], 99)),
			round(at(first[k], 50)-at(first[0], 50)))
		if failed[k] > 0 {
			fmt.Printf("%-20s %d requests failed and do not count\n", "", failed[k])
		}
	}
	return nil
}

// call makes one request and times its first byte and its end.
func (t target) call(ctx context.Context, client *http.Client, l workload) (first, whole time.Duration, err error) {
	body, err := json.Marshal(map[string]any{
		"model":    t.model,
		"stream":   l.stream,
		"messages": []any{map[string]string{"role": "user", "content": strings.Repeat("word ", l.bytes/5)}},
	})
	if err != nil {
		return 0, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+cmp.Or(t.key, "none"))
	began := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	one := make([]byte, 1)
	if _, err := io.ReadFull(res.Body, one); err != nil {
		return 0, 0, err
	}
	first = time.Since(began)
	rest, err := io.ReadAll(res.Body)
	whole = time.Since(began)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", res.Status, rest)
	}
	return first, whole, err
}

// at gives a percentile.
func at(d []time.Duration, percent int) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[(len(d)-1)*percent/100]
}

func round(d time.Duration) time.Duration { return d.Round(time.Microsecond) }
