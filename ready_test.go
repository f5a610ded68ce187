package outlast_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// untaking is a store that takes no results while it is told so.
type untaking struct {
	store.Backend
	refuses atomic.Bool
}

func (u *untaking) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	if u.refuses.Load() {
		return nil, &task.Error{Code: task.CodeUnavailable, Message: "must be owner of table outlast_done", Hint: "GRANT the owner"}
	}
	return u.Backend.Settle(ctx, settlements)
}

// A node whose results are not taken beats and claims all the same: it says that
// it is not ready, and why.
func TestReadyWhileResultsAreNotTaken(t *testing.T) {
	virtually(t, func(k *kit) {
		backend := &untaking{Backend: k.store}
		client := k.open(backend, outlast.WithLogger(k.log.logger()))
		outlast.Handle(client, "mail", func(context.Context, mail) error { return nil })
		if err := client.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		backend.refuses.Store(true)
		receipt, err := client.Enqueue(k.ctx, outlast.Draft{Type: "mail", Payload: []byte(`{}`)})
		if err != nil {
			k.Fatal(err)
		}
		k.after(5 * time.Second)
		if err := client.Ready(); err != nil {
			k.Errorf("after 5 s: %v", err)
		}
		k.after(6 * time.Second)
		e := wantCode(k.T, client.Ready(), task.CodeUnavailable)
		if !strings.Contains(e.Message, "11s: must be owner") || e.Hint != "GRANT the owner" {
			k.Errorf("after 11 s: %v", e)
		}
		backend.refuses.Store(false)
		k.after(5 * time.Second)
		if err := client.Ready(); err != nil {
			k.Errorf("when results are taken again: %v", err)
		}
		if view, err := client.Inspector().Tasks.Get(k.ctx, receipt.Task.ID); err != nil || view.State != task.Succeeded {
			k.Errorf("the task is %v: %v", view, err)
		}
	})
}
