package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loci/internal/sandbox"
)

func TestPurgeDaily(t *testing.T) {
	trash := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		entry := filepath.Join(trash, time.Now().UTC().Format("20060102-150405")+"-0123abcd")
		if err := os.Mkdir(entry, 0o700); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), sandbox.Kept+48*time.Hour)
		defer cancel()
		var days []string
		purgeDaily(ctx, trash, nil, time.Now, func(removed int, err error) { days = append(days, fmt.Sprint(removed, err)) })
		if len(days) < 31 || days[0] != "0 <nil>" || strings.Count(strings.Join(days, ","), "1 <nil>") != 1 {
			t.Errorf("%d days: %v", len(days), days)
		}
	})
}
