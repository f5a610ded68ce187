package outlast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Limits of what remote workers ask for.
const (
	mostPolled     = 1000
	mostPollWait   = time.Minute
	leastLease     = time.Second
	mostLease      = time.Hour
	mostSubscribed = 256
)

// Workers serves those who run tasks elsewhere: remote workers, which poll for them, and
// members of worker groups, which are called. The HTTP API is made of it.
type Workers struct{ client *Client }

// Workers serves those who run tasks elsewhere.
func (c *Client) Workers() *Workers { return &Workers{c} }

// Poll is what a remote worker asks for.
type Poll struct {
	Worker  string // its name
	Release string // "" for none
	Queues  []string
	Types   []string      // nil for all but HTTP requests
	Most    int           // tasks, 1 to 1000
	Wait    time.Duration // for some, up to a minute
	Lease   time.Duration // 1 s to 1 h
}

// Leased is a task for a remote worker. It must not be changed.
type Leased struct {
	Task        *Task
	Until       time.Time // the end of the lease, by the store's clock
	AttemptEnds time.Time // when the attempt's timeout or the deadline ends it, zero for never
	MaxAttempts int       // 0 for unlimited
}

// Extension asks for a longer lease of an attempt.
type Extension struct {
	ID       ID
	Claim    int64
	Progress json.RawMessage // what it reports of its work, kept on this node while the attempt runs
}

// Ending is the end of an attempt that a remote worker ran.
type Ending struct {
	ID     ID
	Claim  int64
	Result []byte
	// Err is nil for a success. It may be one of [RetryAfter], [Snooze], [GiveUp] and
	// [Cancel], as that of a handler, or [ErrReleased].
	Err error
}

// ErrReleased is the end of an attempt whose worker hands the task back, at no cost.
var ErrReleased = engine.ErrReleased

// Poll waits for tasks for a remote worker, at most poll.Wait, and returns as
// soon as there are some. What it returns is leased to the worker, on disk. A worker
// is served the tasks of all nodes, whichever it polls. An empty list means that
// there was nothing. Bad requests are an [*Error] with code "invalid".
func (w *Workers) Poll(ctx context.Context, poll Poll) ([]Leased, error) {
	c := w.client
	if err := c.running(); err != nil {
		return nil, err
	}
	if err := checkPoll(&poll); err != nil {
		return nil, err
	}
	found, err := c.engine.Poll(ctx, engine.Poll(poll))
	if errors.Is(err, engine.ErrTooManyPolls) || errors.Is(err, engine.ErrNoPolls) {
		return nil, &Error{Code: task.CodeUnavailable, Message: err.Error(), Hint: "poll another node", RetryAfter: 5 * time.Second}
	}
	tasks := make([]Leased, len(found))
	for i := range found {
		tasks[i] = Leased(found[i])
	}
	return tasks, err
}

func checkPoll(poll *Poll) error {
	var c accept.Complaints
	c.Name("worker", poll.Worker)
	c.Release("release", poll.Release)
	checkNames(&c, "queues", poll.Queues)
	checkNames(&c, "types", poll.Types)
	if at := slices.Index(poll.Queues, alerts.Queue); at >= 0 {
		c.Add(fmt.Sprintf("queues[%d]", at), "the queue "+alerts.Queue+" is that of the engine's own alerts", "leave it out")
	}
	if len(poll.Queues) == 0 {
		c.Add("queues", "is empty", "leave it out for the queue default")
	}
	if poll.Types != nil && len(poll.Types) == 0 {
		c.Add("types", "is empty", "leave it out for all types but HTTP requests")
	}
	if poll.Most < 1 || poll.Most > mostPolled {
		c.Add("max", fmt.Sprintf("%d is outside 1 to %d", poll.Most, mostPolled), "")
	}
	if poll.Wait < 0 || poll.Wait > mostPollWait {
		c.Add("wait", poll.Wait.String()+" is outside 0s to 1m0s", "poll again when it is over")
	}
	checkLease(&c, poll.Lease)
	return c.Err("the poll is not valid")
}

func checkNames(c *accept.Complaints, path string, names []string) {
	if len(names) > mostSubscribed {
		c.Add(path, fmt.Sprintf("has %d names; %d are the limit", len(names), mostSubscribed), "")
		return
	}
	for i, name := range names {
		c.Name(fmt.Sprintf("%s[%d]", path, i), name)
	}
}

func checkLease(c *accept.Complaints, lease time.Duration) {
	if lease < leastLease || lease > mostLease {
		c.Add("lease", lease.String()+" is outside 1s to 1h0m0s", "extend it while the work lasts")
	}
}

// Extend moves the ends of leases of tasks that remote workers run to lease
// from now, one answer per item: store.StatusOK, with whether the cancel of the task
// was requested, StatusStale or StatusNotFound. Any node can do it.
func (w *Workers) Extend(ctx context.Context, items []Extension, lease time.Duration) ([]store.Extended, error) {
	c := w.client
	if err := c.running(); err != nil {
		return nil, err
	}
	var wrong accept.Complaints
	checkLease(&wrong, lease)
	checkCount(&wrong, "items", len(items))
	for i := range items {
		if len(items[i].Progress) > handlers.MaxProgress {
			wrong.Large(fmt.Sprintf("items[%d].progress", i), "the progress", len(items[i].Progress), handlers.MaxProgress)
		}
	}
	if err := wrong.Err("the leases cannot be extended"); err != nil {
		return nil, err
	}
	asked := make([]engine.Extension, len(items))
	for i := range items {
		asked[i] = engine.Extension(items[i])
	}
	results, err := c.engine.Extend(ctx, asked, lease)
	if err != nil {
		return nil, err
	}
	return results, w.tellAbsent(ctx, items, results)
}

// tellAbsent tells tasks that there are not from those that are somebody else's.
func (w *Workers) tellAbsent(ctx context.Context, items []Extension, results []store.Extended) error {
	for i := range results {
		if results[i].Status != store.StatusStale {
			continue
		}
		_, err := w.client.backend.Get(ctx, items[i].ID)
		if known := new(Error); errors.As(err, &known) && known.Code == task.CodeNotFound {
			results[i].Status = store.StatusNotFound
		} else if err != nil {
			return err
		}
	}
	return nil
}

func checkCount(c *accept.Complaints, path string, count int) {
	if count < 1 || count > mostPolled {
		c.Add(path, fmt.Sprintf("has %d entries; 1 to %d are possible", count, mostPolled), "")
	}
}

// Settle ends attempts that remote workers ran, each fenced by its claim
// number, and returns when that is on disk: one answer per ending. A repeat of what
// is recorded for the claim is store.StatusOK. Any node can do it. A result of more than
// 64 KiB makes its attempt a failure. After an error the call may be repeated as it stands.
func (w *Workers) Settle(ctx context.Context, endings []Ending) ([]store.Settled, error) {
	c := w.client
	if err := c.running(); err != nil {
		return nil, err
	}
	var wrong accept.Complaints
	checkCount(&wrong, "results", len(endings))
	ended := make([]engine.Ending, len(endings))
	for i := range endings {
		ended[i] = engine.Ending(endings[i])
		if err := handlers.CheckResult(endings[i].Result); err != nil && endings[i].Err == nil {
			ended[i].Err = &handlers.BadResult{Err: err}
		}
	}
	if err := wrong.Err("the results are not valid"); err != nil {
		return nil, err
	}
	results, err := c.engine.SettleLeased(ctx, ended)
	if errors.Is(err, engine.ErrStopping) || errors.Is(err, engine.ErrNoPolls) {
		return nil, &Error{Code: task.CodeUnavailable, Message: err.Error(), Hint: "tell another node", RetryAfter: time.Second}
	}
	return results, err
}
