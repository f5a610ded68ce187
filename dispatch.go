package outlast

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/internal/push"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// dispatch has a member of a worker group run a task. If none takes it, that was no
// attempt: the task is handed back, and the group is left alone for a while; or it is
// left to a node that may call a member which this one may not.
func (r *registry) dispatch(ctx context.Context, run *engine.Run, name, path string) (result []byte, err error) {
	groups, target := r.client.groups, run.Task.Target
	able := ""
	held := groups.Send(ctx, name, func(ctx context.Context, url string, taken func()) group.Verdict {
		to := reach.To{URL: strings.TrimRight(url, "/") + path, Group: name}
		secret := to.Secret(r.client.options.Secrets)
		if node := r.client.handOver(ctx, run, to, secret, nil); node != "" {
			able = cmp.Or(able, node)
			return group.Verdict{Kind: inspect.DispatchUnreachable, Message: "another node signs requests to the member", Elsewhere: true}
		}
		if groups.Dispatch(name).Failures > 0 || !groups.Tested(name) {
			var answered func()
			ctx, answered = whenTaken(ctx, func() {
				taken()
				r.client.engine.Taken(target)
			})
			defer answered()
		}
		result, err = r.request(ctx, run, to.URL, secret)
		verdict := verdictOf(err)
		if verdict.Kind == inspect.DispatchUnreachable {
			node := r.client.handOver(ctx, run, to, secret, err)
			able, verdict.Elsewhere = cmp.Or(able, node), node != ""
		}
		return verdict
	})
	if errors.Is(held, group.ErrElsewhere) {
		return nil, leave(able, err)
	}
	if none := new(group.Held); errors.As(held, &none) {
		return nil, &heldTask{none}
	}
	return result, err
}

// verdictOf tells members that did not take a task from those that did, and failed.
func verdictOf(err error) group.Verdict {
	failed := new(push.Error)
	if !errors.As(err, &failed) {
		return group.Verdict{}
	}
	if failed.Exhausted() != "" {
		return group.Verdict{Own: true}
	}
	_, closed := errors.AsType[*safehttp.RefusedError](err) // to this node: no fault of the task
	switch verdict := &failed.Verdict; {
	case failed.Status == http.StatusServiceUnavailable:
		return group.Verdict{Kind: inspect.DispatchBusy, Message: failed.Message, After: verdict.Hint.After}
	case failed.Status == 0 && verdict.Effect == retry.NotSent && (closed || verdict.Code != "invalid_target"):
		return group.Verdict{Kind: inspect.DispatchUnreachable, Message: failed.Message}
	}
	return group.Verdict{}
}

// heldTask is the end of a dispatch that nobody took.
type heldTask struct{ held *group.Held }

var (
	_ engine.OutcomeError = (*heldTask)(nil)
	_ retry.Verdictor     = (*heldTask)(nil)
)

// Error implements error.
func (h *heldTask) Error() string { return h.held.Error() }

// RetryVerdict implements [retry.Verdictor]: what is kept with the try.
func (h *heldTask) RetryVerdict() retry.Verdict {
	category := retry.Unavailable
	if h.held.Kind == inspect.DispatchUnreachable {
		category = retry.Unsent
	}
	return retry.Verdict{Category: category, Effect: retry.NotSent, Type: task.DispatchFailure, Code: string(h.held.Kind)}
}

// HandlerOutcome implements [engine.OutcomeError].
func (h *heldTask) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionHold, After: h.held.For, Since: h.held.Since, Held: store.Held{Failures: h.held.Failures, Error: h.held.Error()}}
}

// Groups lists the worker groups by name, as this node sees them.
func (w *Workers) Groups() []inspect.Group { return w.client.groups.List() }

// Limits of what members say of themselves.
const (
	mostCapacity = 100_000
	mostTTL      = time.Hour
)

// PutMember registers an endpoint as a member of a worker group, or is its beat. A
// capacity of 0 is 1, a TTL of 0 that of the group: 15 s unless configured.
func (w *Workers) PutMember(ctx context.Context, m inspect.Member) error {
	c := w.client
	if err := c.running(); err != nil {
		return err
	}
	var wrong accept.Complaints
	wrong.Name("group", m.Group)
	wrong.Name("id", m.ID)
	if memberURL(&wrong, m.URL); len(wrong.Fields) == 0 {
		c.memberAddress(&wrong, m.URL)
	}
	if m.Capacity == 0 {
		m.Capacity = 1
	}
	if m.Capacity < 1 || m.Capacity > mostCapacity {
		wrong.Add("capacity", "is outside 1 to 100000", "how many tasks it runs at once")
	}
	if !(m.Load >= 0 && m.Load <= 1e9) {
		wrong.Add("load", "is outside 0 to 1e9", "how many tasks it has in hand")
	}
	if ttl := time.Duration(m.TTL); ttl != 0 && (ttl < time.Second || ttl > mostTTL) {
		wrong.Add("ttl", ttl.String()+" is outside 1s to 1h0m0s", "beat three times as often")
	}
	if err := wrong.Err("the member is not valid"); err != nil {
		return err
	}
	return c.groups.Put(ctx, m)
}

func memberURL(c *accept.Complaints, text string) {
	before := len(c.Fields)
	c.Request("member", "", &task.Request{URL: text})
	for i := range c.Fields[before:] {
		c.Fields[before+i].Path = "url"
	}
	if _, _, group := task.GroupOf(text); len(c.Fields) == before && (group || strings.ContainsAny(text, "?#")) {
		c.Add("url", "has more than scheme, host and path", "write it like http://10.0.0.7:8080/tasks")
	}
}

// memberAddress refuses an address that this node may not call. Names are looked up when
// they are called.
func (c *Client) memberAddress(wrong *accept.Complaints, text string) {
	u, err := url.Parse(text)
	if err != nil {
		return
	}
	c.ownAddress(wrong, "url", u)
}

// RemoveMember lets a member leave its group, and reports whether it was there.
func (w *Workers) RemoveMember(ctx context.Context, name, id string) (bool, error) {
	c := w.client
	if err := c.running(); err != nil {
		return false, err
	}
	var wrong accept.Complaints
	wrong.Name("group", name)
	wrong.Name("id", id)
	if err := wrong.Err("there is no such member"); err != nil {
		return false, err
	}
	return c.groups.Remove(ctx, name, id)
}

// takenAfter is how long a member that does not take a task may think about that.
const takenAfter = time.Second

// whenTaken calls f, once at most, when a request that is made under the context which it
// returns was sent and has not been answered for a while: tasks may take long, and
// nobody should wait for the answer to know that the group is back. The caller says
// when there is an answer; f does not run after that.
func whenTaken(ctx context.Context, f func()) (traced context.Context, answered func()) {
	w := &takenWatch{f: f}
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			w.sent()
		}
	}}
	return httptrace.WithClientTrace(ctx, trace), w.answered
}

// takenWatch is one request whose answer is waited for.
type takenWatch struct {
	mu    sync.Mutex
	f     func() // nil once it has been called, or must not be
	timer *time.Timer
}

func (w *takenWatch) sent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil && w.f != nil {
		w.timer = time.AfterFunc(takenAfter, w.taken)
	}
}

func (w *takenWatch) taken() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f != nil {
		w.f()
		w.f = nil
	}
}

func (w *takenWatch) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f = nil
	if w.timer != nil {
		w.timer.Stop()
	}
}
