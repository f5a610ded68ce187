package outlast

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/feed"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Inspector shows what is there and changes it on behalf of people. Its
// actions work from any node, also before [Client.Start], and wake the node
// that owns the task. It is safe for concurrent use.
type Inspector struct{ client *Client }

// Inspector returns the client's inspector.
func (c *Client) Inspector() *Inspector { return &Inspector{c} }

// View is a task as people look at it: the row, and what follows from it.
type View struct {
	*Task
	// Waiting says why a pending task is not running; "" for others, and for
	// one that starts at any moment.
	Waiting task.Waiting
	// NextCheck is when that is looked at again: the next run of a task that
	// waits for its time, the next probe of an open breaker, the next token of a
	// spent budget. Zero where nobody can know.
	NextCheck time.Time
	// MissingKey is the encryption key that nodes lack which were to run the task,
	// where Waiting says so; "" where it waits for being encrypted at all.
	MissingKey string
	// Held is why nobody takes a task for a worker group that waits for that; nil for
	// all others.
	Held *store.Held
	// MaxAttempts is the limit that holds, 0 for unlimited.
	MaxAttempts int
	// PolicyName is the policy that holds: "inline", a name, or "default".
	// For types whose handlers set one, only the nodes that run them know it.
	PolicyName string
	// PolicyVersion is the newest version of it, 0 for a policy without versions.
	PolicyVersion int64
	// RetryPolicy is that policy; nil where PolicyName is "".
	RetryPolicy *retry.Policy
	// FallbackState and FallbackError tell of the fallback task of a dead
	// one, where there is one. Only [Inspector.Get] fills them.
	FallbackState task.State
	FallbackError *task.Failure
	// CallbackTask, CallbackState and CallbackError tell of the on_success or
	// on_dead task of one that has ended, as long as it is there and its queue has
	// no more lanes than it had. Only [Inspector.Get] fills them.
	CallbackTask  ID
	CallbackState task.State
	CallbackError *task.Failure
	// Progress is what the running attempt last reported, JSON, if it runs on
	// this node.
	Progress json.RawMessage
	// LeaseUntil is until when a remote worker has the running task at least, if this
	// node has leased it.
	LeaseUntil time.Time
}

// Get returns a task, whatever its state. Code "not_found" if there is none,
// or none any more.
func (i *Inspector) Get(ctx context.Context, id ID) (*View, error) {
	t, err := i.client.backend.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	view, err := i.one(ctx, t)
	if err == nil {
		i.followed(ctx, view)
	}
	return view, err
}

// Row returns a task as its row is, without payload and result: less to read than
// [Inspector.Get], for who looks often. Code "not_found" as there.
func (i *Inspector) Row(ctx context.Context, id ID) (*Task, error) {
	found, _, err := i.client.backend.Find(ctx, store.Filter{IDs: []ID{id}}, store.Page{Limit: 1, Bare: true})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, task.NotFound("task", id.String())
	}
	return found[0], nil
}

// View completes tasks that were read before, one for one.
func (i *Inspector) View(ctx context.Context, tasks ...*Task) ([]*View, error) {
	views := make([]*View, len(tasks))
	why := whyWaiting{client: i.client, now: time.Now()}
	for n, t := range tasks {
		waiting, err := why.of(ctx, t)
		if err != nil {
			return nil, err
		}
		view := &View{Task: t, Waiting: waiting.Why, NextCheck: waiting.Until, MissingKey: waiting.key, Held: waiting.held, MaxAttempts: t.Spec.MaxAttempts}
		if policy, name, err := i.client.registry.policyOf(t); err == nil {
			view.PolicyName, view.PolicyVersion, view.RetryPolicy = name, policy.Version(), policy
			if view.MaxAttempts == 0 || policy.IsOnce() {
				view.MaxAttempts = policy.MaxAttempts()
			}
		}
		if t.State == task.Running {
			view.Progress = i.client.registry.progress.get(t)
			if task.Leased(t.Node) {
				view.LeaseUntil, view.Progress = i.client.engine.Lease(t)
			}
		}
		views[n] = view
	}
	return views, nil
}

func (i *Inspector) one(ctx context.Context, t *Task) (*View, error) {
	views, err := i.View(ctx, t)
	if err != nil {
		return nil, err
	}
	return views[0], nil
}

// Attempts returns the recorded attempts of a task, the oldest first.
func (i *Inspector) Attempts(ctx context.Context, id ID) ([]Attempt, error) {
	return i.client.backend.Attempts(ctx, id)
}

// Find returns a page of tasks, the newest first, and the cursor of the next
// page, "" for none; with a filter of failures the newest failure first. A page may be short or empty and still have a next one. The
// steps of alerts are found by their queue, type or id only. A search that is the id
// of a task finds it alone, one of at least 8 digits that ids begin with these tasks.
func (i *Inspector) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*View, string, error) {
	if err := checkFilter(&filter, &page); err != nil {
		return nil, "", err
	}
	find := i.client.backend.Find
	if filter.Search != "" {
		find = i.search
	}
	tasks, next, err := i.recentFailures(ctx, find, filter, page)
	if err != nil {
		return nil, "", err
	}
	views, err := i.View(ctx, tasks...)
	return views, next, err
}

// walkTime is how long Find goes on from page to page while it has found nothing.
const walkTime = 50 * time.Millisecond

// walk finds a page, and goes on behind those that are empty: so are some in a row
// where the newest tasks do not match, or are hidden.
func walk(ctx context.Context, find func(context.Context, store.Filter, store.Page) ([]*Task, string, error), filter store.Filter, page store.Page) ([]*Task, string, error) {
	if internal := leavesOut(&filter); internal != "" {
		filter.Without = internal
	}
	began := time.Now()
	for {
		tasks, next, err := find(ctx, filter, page)
		if err != nil || len(tasks) > 0 || next == "" || time.Since(began) >= walkTime {
			return tasks, next, err
		}
		page.Cursor = next
	}
}

// Count returns how many tasks match, counting no further than limit.
func (i *Inspector) Count(ctx context.Context, filter store.Filter, limit int) (int, error) {
	if err := checkFilter(&filter, nil); err != nil {
		return 0, err
	}
	own := filter
	if own.Queue = leavesOut(&filter); own.Queue == "" {
		return i.client.backend.Count(ctx, filter, limit)
	}
	hidden, err := i.client.backend.Count(ctx, own, limit)
	if err != nil {
		return 0, err
	}
	all, err := i.client.backend.Count(ctx, filter, limit+hidden)
	return min(max(all-hidden, 0), limit), err
}

// checkFilter refuses what cannot match because it is misspelt.
func checkFilter(filter *store.Filter, page *store.Page) error {
	var c accept.Complaints
	if page != nil && filter.State == Failed {
		filter.Failed, filter.State = true, ""
	}
	if filter.State != "" && !filter.State.Valid() {
		c.Add("state", task.Quote(string(filter.State))+" is no state", "one of pending, running, succeeded, dead, canceled; a list of tasks also takes failed")
	}
	if filter.Reason != "" && !knownReason(filter.Reason) {
		c.Add("reason", task.Quote(string(filter.Reason))+" is no reason", "one of exhausted, permanent, expired, crash_loop, no_handler, rejected")
	}
	if !filter.Since.IsZero() && !filter.Until.IsZero() && filter.Until.Before(filter.Since) {
		c.Add("until", "lies before since", "swap them")
	}
	if !filter.FailedSince.IsZero() && !filter.FailedUntil.IsZero() && filter.FailedUntil.Before(filter.FailedSince) {
		c.Add("failed_until", "lies before failed_since", "swap them")
	}
	for _, one := range [...]struct {
		field string
		at    time.Time
	}{{"since", filter.Since}, {"until", filter.Until}, {"died_before", filter.DiedBefore}, {"failed_since", filter.FailedSince}, {"failed_until", filter.FailedUntil}} {
		if year := one.at.UTC().Year(); year < 0 || year > 9999 {
			c.Add(one.field, "is not between the years 0 and 9999 in UTC", "leave it out for no bound")
		}
	}
	checkSearch(&c, filter)
	if page != nil && (page.Limit < 0 || page.Limit > maxPage) {
		c.Add("limit", "is outside 1 to 500", "follow the cursor for more")
	}
	return c.Err("the filter is invalid")
}

// maxPage is the largest page.
const maxPage = 500

func knownReason(reason task.DeadReason) bool {
	for _, known := range task.DeadReasons {
		if reason == known {
			return true
		}
	}
	return false
}

// Cancel ends a pending task, or asks a running one to end: its context is
// canceled within about a second, and a success that still arrives is kept.
// Code "conflict" with the state for tasks that have ended.
func (i *Inspector) Cancel(ctx context.Context, id ID) (*View, error) {
	t, err := i.client.backend.Cancel(ctx, id, actor.Audit(ctx, "task.cancel", "task/"+id.String()))
	if err != nil {
		return nil, refusal("canceled", id, err)
	}
	i.client.engine.Canceled(id)
	i.client.toldCanceled(t)
	return i.one(ctx, t)
}

// toldCanceled lets those know who wait for a task that an operator has canceled. One
// that was only asked to end is told of when it does.
func (c *Client) toldCanceled(t *task.Task) {
	if !t.State.Final() {
		return
	}
	c.waiters.tell(t.ID)
	if !isInternal(t.Queue) {
		c.series.Add(&stats.Event{Queue: t.Queue, State: t.State})
	}
	c.feedAsked(t, feed.Canceled)
}

// RetryNow lets a pending task run at once, whatever it waits for in time.
// Code "conflict" with the state for others, dead ones included: those are
// sent back by [Inspector.Redrive].
func (i *Inspector) RetryNow(ctx context.Context, id ID) (*View, error) {
	return i.reschedule(ctx, "retried", "task.retry", id, time.Time{})
}

// Reschedule moves the next run of a pending task. Code "conflict" for
// others.
func (i *Inspector) Reschedule(ctx context.Context, id ID, at time.Time) (*View, error) {
	var c accept.Complaints
	c.Moment("run_at", at, time.Now())
	if err := c.Err("the time is invalid"); err != nil {
		return nil, err
	}
	return i.reschedule(ctx, "rescheduled", "task.reschedule", id, accept.CeilMicro(at))
}

func (i *Inspector) reschedule(ctx context.Context, asked, action string, id ID, at time.Time) (*View, error) {
	t, err := i.client.backend.Reschedule(ctx, id, at, actor.Audit(ctx, action, "task/"+id.String()))
	if err != nil {
		return nil, refusal(asked, id, err)
	}
	i.client.engine.Rescheduled(t)
	i.client.feedAsked(t, feed.Released)
	return i.one(ctx, t)
}

// refusal says what was asked of a task whose state does not allow it, and
// what to do instead. Other errors stay as they are.
func refusal(asked string, id ID, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code != task.CodeConflict || e.State == "" {
		return err
	}
	hint := "it has ended; enqueue a new task to do it again"
	switch e.State {
	case task.Dead:
		hint = "redrive it: outlast dead redrive " + id.String() + ", or POST /v1/dead/redrive"
	case task.Running:
		hint = "cancel it, or wait for the end of the attempt"
	case task.Pending:
		hint = "its state has changed meanwhile: try again"
	}
	return &Error{Code: task.CodeConflict, State: e.State, Message: "a task that is " + string(e.State) + " cannot be " + asked, Hint: hint, Err: err}
}
