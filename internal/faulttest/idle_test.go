package faulttest

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/sqlite"
)

// An idle node asks its store no more than a few times per second.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var commits atomic.Int64
		counted := &countedStore{}
		backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "outlast.db"), sqlite.WithHook(func(point string) {
			if strings.HasSuffix(point, ".after_commit") {
				commits.Add(1)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		defer backend.Close() // nothing is lost
		counted.Store = backend
		c, err := outlast.Open(t.Context(), counted, outlast.WithAllQueues())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // until the start is over
		const span = 2 * time.Minute
		calls, commits0 := counted.total(), commits.Load()
		time.Sleep(span)
		perSecond, commitsPerSecond := float64(counted.total()-calls)/span.Seconds(), float64(commits.Load()-commits0)/span.Seconds()
		t.Logf("idle: %.1f store calls and %.1f commits per second: %v", perSecond, commitsPerSecond, counted.calls())
		if perSecond > 5 || commitsPerSecond > 2 {
			t.Errorf("an idle node makes %.1f store calls and %.1f commits per second", perSecond, commitsPerSecond)
		}
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
