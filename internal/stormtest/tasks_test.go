package stormtest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

const (
	// guardedTask is the default policy, with the clients' timeout.
	guardedTask = `{"timeout": "1s"}`
	// taskCount is how many tasks there are in a run.
	taskCount = 5000
)

// tasks are durable tasks that are pushed to the receiver by an engine inside
// this process. They come evenly over the whole run.
type tasks struct {
	t      *testing.T
	policy string        // inline
	over   time.Duration // in which they are enqueued

	client *outlast.Client
	group  sync.WaitGroup
	close  []func()
}

func (l *tasks) start(ctx context.Context, url string, counted *series) {
	store, err := sqlite.Open(ctx, filepath.Join(l.t.TempDir(), "storm.db"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.client, err = outlast.Open(ctx, store, outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")),
		outlast.WithObserver(outlast.Observer{AttemptStarted: func(_ context.Context, w *task.Task, _ time.Duration) { counted.attempt(time.Now(), w.Attempt == 1) }}))
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.client.Start(ctx); err != nil {
		l.t.Fatal(err)
	}
	l.close = append(l.close, func() { store.Close() })
	l.group.Go(func() { l.enqueue(ctx, url) })
}

// enqueue hands the tasks in, a batch every step.
func (l *tasks) enqueue(ctx context.Context, url string) {
	tick := time.NewTicker(step)
	defer tick.Stop()
	begin, done := time.Now(), 0
	for done < taskCount {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		due := min(taskCount, int(taskCount*time.Since(begin).Seconds()/l.over.Seconds()))
		drafts := make([]outlast.Draft, due-done)
		for i := range drafts {
			drafts[i].Target = &task.Request{URL: url, Method: http.MethodPost}
			serving.SetRetry(&drafts[i], json.RawMessage(l.policy))
		}
		if _, err := l.client.EnqueueMany(ctx, drafts, true); err != nil && ctx.Err() == nil {
			l.t.Error(err)
			return
		}
		done = due
	}
}

func (l *tasks) wait() {
	l.group.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.t.Context()), time.Minute)
	defer cancel()
	if err := l.client.Stop(ctx); err != nil {
		l.t.Error(err)
	}
	for _, f := range l.close {
		f()
	}
}
