package outlast_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// countedReads counts the reads of channels.
type countedReads struct {
	store.Backend
	n atomic.Int64
}

func (c *countedReads) Object(ctx context.Context, kind, name string) (*store.Object, error) {
	if kind == alerts.KindChannel {
		c.n.Add(1)
	}
	return c.Backend.Object(ctx, kind, name)
}

func (c *countedReads) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	if kind == alerts.KindChannel {
		c.n.Add(1)
	}
	return c.Backend.Objects(ctx, kind)
}

// However many unknown channels the tasks of a batch name, the store is asked once.
func TestUnknownChannelsOfABatchAreReadOnce(t *testing.T) {
	backend := &countedReads{Backend: memory.New()}
	client, err := outlast.Open(t.Context(), backend)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer client.Stop(context.Background())
	names := make([]string, 16)
	for i := range names {
		names[i] = `"c` + strconv.Itoa(i) + `"`
	}
	told := json.RawMessage(`{"channels": [` + strings.Join(names, ",") + `]}`)
	drafts := make([]outlast.Draft, 100)
	for i := range drafts {
		drafts[i] = sent(outlast.Draft{Type: "a", Alert: told}, `{"alert": `+string(told)+`}`)
	}
	for _, atomic := range []bool{true, false} {
		before := backend.n.Load()
		if _, err := client.EnqueueMany(t.Context(), drafts, atomic); err != nil {
			t.Fatal(err)
		}
		// The keeper looks for itself once a second.
		if n := backend.n.Load() - before; n > 10 {
			t.Errorf("atomic %v: %d reads of channels for one batch", atomic, n)
		}
	}
}
