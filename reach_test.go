package outlast_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// hook is a receiver on a loopback address that counts requests, and those of them
// that are signed.
type hook struct {
	url           string
	calls, signed atomic.Int64
}

func newHook(t *testing.T) *hook {
	h := &hook{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		h.calls.Add(1)
		if r.Header.Get("Webhook-Signature") != "" {
			h.signed.Add(1)
		}
	}))
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}

// reaching starts a node.
func reaching(t *testing.T, backend store.Backend, log *logBook, opts ...outlast.Option) *outlast.Client {
	t.Helper()
	c, err := outlast.Open(t.Context(), backend, append(opts, outlast.WithLogger(log.logger()))...)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// call enqueues requests, some with a key, and waits for the end of all.
func (h *hook) call(t *testing.T, by *outlast.Client, count int) (ended []*inspect.View) {
	t.Helper()
	var ids []outlast.ID
	for i := range count {
		draft := outlast.Draft{Type: "t", Target: &task.Request{URL: h.url}}
		if i%3 == 0 {
			draft.Key = "k"
		}
		receipt, err := by.Enqueue(t.Context(), draft)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, receipt.Task.ID)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, id := range ids {
		if _, err := by.Wait(ctx, id); err != nil && ctx.Err() != nil {
			t.Fatal(err)
		}
		view, err := by.Inspector().Tasks.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		ended = append(ended, view)
	}
	return ended
}

var loopback = outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8"))

// A node that may not call an address leaves the task to one that may, at no cost;
// without such a node the task fails for good.
func TestTasksGoToNodesThatMayCall(t *testing.T) {
	h, data, log := newHook(t), memory.New(), &logBook{}
	closed := reaching(t, data, log)
	open := reaching(t, data.Handle(), log, loopback)
	for _, view := range h.call(t, closed, 30) {
		if view.State != task.Succeeded || view.Attempt != 1 {
			t.Fatalf("the task is %s after %d attempts: %+v", view.State, view.Attempt, view.LastError)
		}
	}
	if calls := h.calls.Load(); calls != 30 {
		t.Errorf("%d requests of 30 tasks", calls)
	}
	for deadline := time.Now().Add(2 * time.Minute); len(log.events(t, "node.differs")) < 2; {
		if _, err := closed.Inspector().Nodes.List(t.Context()); err != nil || time.Now().After(deadline) {
			t.Fatalf("each node warns once of the other; events: %v, error %v", log.events(t, "node.differs"), err)
		}
	}
	nodes, err := closed.Inspector().Nodes.List(t.Context())
	if err != nil || len(nodes) != 2 || len(nodes[0].AllowTargets)+len(nodes[1].AllowTargets) != 1 {
		t.Errorf("nodes %+v, error %v", nodes, err)
	}
	if err := open.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = closed.Enqueue(t.Context(), outlast.Draft{Target: &task.Request{URL: h.url}})
	wantPrivate(t, err, "target.url")
}

// A node that makes no requests of a queue does not judge for those that will.
func TestEnqueuersDoNotJudgeAddresses(t *testing.T) {
	h, data := newHook(t), memory.New()
	producer, err := outlast.Open(t.Context(), data, outlast.WithEnqueueOnly())
	if err != nil {
		t.Fatal(err)
	}
	if err := producer.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer producer.Stop(context.Background())
	draft := outlast.Draft{Target: &task.Request{URL: h.url}}
	waits, err := producer.Enqueue(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	until := func(what string, done func() bool) { // nodes learn of one another
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !done(); {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	reaching(t, data.Handle(), &logBook{})
	until("the node did not refuse the call", func() bool {
		view, err := producer.Inspector().Tasks.Get(t.Context(), waits.Task.ID)
		return err == nil && view.State == task.Dead && view.LastError.Code == "refused_address"
	})
	until("what no node may call was accepted", func() bool { _, err = producer.Enqueue(t.Context(), draft); return err != nil })
	wantPrivate(t, err, "target.url")
	reaching(t, data.Handle(), &logBook{}, loopback)
	until("what a node may call was refused", func() bool { _, err = producer.Enqueue(t.Context(), draft); return err == nil })
}

// A node without the secret of a host leaves the task to one that has it.
func TestTasksGoToNodesThatSign(t *testing.T) {
	h, data, log := newHook(t), memory.New(), &logBook{}
	unsigned := reaching(t, data, log, loopback)
	reaching(t, data.Handle(), log, loopback, outlast.WithTargetSecret("127.0.0.1", []byte(strings.Repeat("s", 32))))
	for deadline := time.Now().Add(2 * time.Minute); ; {
		nodes, err := unsigned.Inspector().Nodes.List(t.Context())
		if err != nil || time.Now().After(deadline) {
			t.Fatal("the other node is not seen: ", err)
		}
		if len(nodes) == 2 {
			break
		}
	}
	for _, view := range h.call(t, unsigned, 30) {
		if view.State != task.Succeeded || view.Attempt != 1 {
			t.Fatalf("the task is %s after %d attempts: %+v", view.State, view.Attempt, view.LastError)
		}
	}
	if calls, signed := h.calls.Load(), h.signed.Load(); calls != 30 || signed != 30 {
		t.Errorf("%d of %d requests are signed, of 30 tasks", signed, calls)
	}
}

// waitForSigners waits until so many nodes tell that they have secrets.
func waitForSigners(t *testing.T, c *outlast.Client, count int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		nodes, err := c.Inspector().Nodes.List(t.Context())
		if err != nil || time.Now().After(deadline) {
			t.Fatal("the other nodes are not seen: ", err)
		}
		seen := 0
		for i := range nodes {
			if len(nodes[i].Signs) > 0 {
				seen++
			}
		}
		if seen == count {
			return
		}
	}
}

// Of the nodes that have the secret of a host, one is chosen that may call it.
func TestTasksGoToNodesThatSignAndMayCall(t *testing.T) {
	t.Parallel()
	h, data, log := newHook(t), memory.New(), &logBook{}
	secret := outlast.WithTargetSecret("127.0.0.1", []byte(strings.Repeat("s", 32)))
	unsigned := reaching(t, data, log, loopback)
	reaching(t, data.Handle(), log, secret, loopback)
	reaching(t, data.Handle(), log, secret, outlast.WithAllowedTargets(netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.168.0.0/16")))
	waitForSigners(t, unsigned, 2)
	for _, view := range h.call(t, unsigned, 60) {
		if view.State != task.Succeeded || view.Attempt != 1 {
			t.Fatalf("the task is %s after %d attempts: %+v", view.State, view.Attempt, view.LastError)
		}
	}
	if calls, signed := h.calls.Load(), h.signed.Load(); calls != 60 || signed != 60 {
		t.Errorf("%d of %d requests are signed, of 60 tasks", signed, calls)
	}
}
