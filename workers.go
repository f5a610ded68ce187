package outlast

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/internal/workersteps"
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
	Until       time.Time   // the end of the lease, by the store's clock
	AttemptEnds time.Time   // when the attempt's timeout or the deadline ends it, zero for never
	MaxAttempts int         // 0 for unlimited
	Steps       []task.Step // that are not to be done again, in the order in which they ended
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
		c.Add(path, fmt.Sprintf("has %d names; the limit is %d", len(names), mostSubscribed), "")
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

// Steps keeps steps that remote workers have done, each fenced by the claim of its task, and
// returns when they are on disk. Of a step count Task, Claim, Name, Occurrence, which is 1
// for 0, Result, Type, StartedAt, and Type and Payload of its Compensation. One answer per
// step: nil, or an [*Error] with code "stale_claim" of a task that its worker has lost,
// "not_found", "unavailable" where the steps of the task cannot be read, and "invalid" for
// more than a task may have and for what an earlier attempt has done. A repeat under
// the same claim is kept again. Any node can do it. After an error of the call it may be
// repeated as it stands.
func (w *Workers) Steps(ctx context.Context, done []task.Step) ([]error, error) {
	c := w.client
	if err := c.running(); err != nil {
		return nil, err
	}
	var wrong accept.Complaints
	checkCount(&wrong, "items", len(done))
	given := make([]task.Step, len(done))
	names := map[stepName]bool{}
	for i := range done {
		path := fmt.Sprintf("items[%d]", i)
		given[i] = doneStep(&done[i])
		checkStep(&wrong, path, &given[i])
		name := stepName{given[i].Task, given[i].Name, given[i].Occurrence}
		if names[name] {
			wrong.Add(path, "is the step of an item before it", "give the second step of a name the occurrence 2")
		}
		names[name] = true
	}
	if err := wrong.Err("the steps are not valid"); err != nil {
		return nil, err
	}
	refused, err := workersteps.Add(ctx, c.backend, given)
	for i := range refused {
		if unreadable, ok := errors.AsType[*steps.Unreadable](refused[i]); ok {
			refused[i] = &Error{Code: task.CodeUnavailable, Message: unreadable.Error(), Hint: "the task runs no further until a node can read its steps"}
		}
	}
	return refused, err
}

// stepName tells the steps of a call apart.
type stepName struct {
	task       ID
	name       string
	occurrence int
}

// doneStep is a step with what counts of what a worker says.
func doneStep(done *task.Step) task.Step {
	now := time.Now().UTC().Truncate(time.Microsecond)
	s := task.Step{
		Task: done.Task, Claim: done.Claim, Name: done.Name, Occurrence: cmp.Or(done.Occurrence, 1), Result: done.Result,
		Type: done.Type, StartedAt: done.StartedAt.UTC().Truncate(time.Microsecond), EndedAt: now,
	}
	if s.StartedAt.After(now) {
		s.StartedAt = now // the worker's clock is ahead
	}
	if undo := done.Compensation; undo != nil {
		s.Compensation = &task.Follow{Type: undo.Type, Payload: undo.Payload}
	}
	return s
}

func checkStep(c *accept.Complaints, path string, s *task.Step) {
	if !utf8.ValidString(s.Name) {
		c.Add(path+".name", "is not valid UTF-8", "name what the step does, such as charge")
	} else if steps.CheckName(s.Name) != nil {
		c.Add(path+".name", "has "+strconv.Itoa(utf8.RuneCountInString(s.Name))+" characters; 1 to "+strconv.Itoa(task.MaxName)+" are possible", "name what the step does, such as charge")
	}
	if s.Occurrence < 1 || s.Occurrence > task.MaxSteps {
		c.Add(path+".occurrence", fmt.Sprintf("%d is outside 1 to %d", s.Occurrence, task.MaxSteps), "leave it out for the first step of a name")
	}
	if len(s.Type) > task.MaxName {
		c.Large(path+".type", "the type", len(s.Type), task.MaxName)
	} else {
		c.Text(path+".type", s.Type)
	}
	stepJSON(c, path+".result", "the result", s.Result)
	if undo := s.Compensation; undo != nil {
		c.Name(path+".compensation.type", undo.Type)
		stepJSON(c, path+".compensation.payload", "the payload", undo.Payload)
	}
}

// stepJSON checks what is kept of a step.
func stepJSON(c *accept.Complaints, path, what string, text json.RawMessage) {
	switch {
	case len(text) > task.MaxResult:
		c.Large(path, what, len(text), task.MaxResult)
	case len(text) > 0 && !json.Valid(text):
		c.Add(path, "is not JSON", "")
	}
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
