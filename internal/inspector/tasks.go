package inspector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/compensate"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Tasks is [inspect.Tasks].
type Tasks struct{ node *node }

func (ts *Tasks) Get(ctx context.Context, id task.ID) (*inspect.View, error) {
	t, err := ts.node.Backend.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	view, err := ts.one(ctx, t)
	if err != nil {
		return nil, err
	}
	if view.Steps, err = ts.node.Backend.StepsOf(ctx, []task.ID{id}); err != nil {
		return nil, err
	}
	ts.followed(ctx, view)
	ts.compensated(ctx, view)
	return view, nil
}

func (ts *Tasks) Row(ctx context.Context, id task.ID) (*task.Task, error) {
	found, _, err := ts.node.Backend.Find(ctx, store.Filter{IDs: []task.ID{id}}, store.Page{Limit: 1, Bare: true})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, task.NotFound("task", id.String())
	}
	return found[0], nil
}

func (ts *Tasks) Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error) {
	return ts.node.Backend.Attempts(ctx, id)
}

// Steps is [inspect.Steps].
type Steps struct{ node *node }

func (ss *Steps) Of(ctx context.Context, id task.ID) ([]task.Step, error) {
	steps, err := ss.node.Backend.StepsOf(ctx, []task.ID{id})
	if err == nil && len(steps) == 0 {
		_, err = (&Tasks{ss.node}).Row(ctx, id)
	}
	return steps, err
}

func (ss *Steps) Signal(ctx context.Context, id task.ID, name string, payload json.RawMessage) (*inspect.Signaled, error) {
	kept, err := checkSignal(name, payload)
	if err != nil {
		return nil, err
	}
	audit := actor.Audit(ctx, "task.signal", "task/"+id.String())
	if audit.After, err = json.Marshal(map[string]string{"signal": name}); err != nil {
		return nil, err
	}
	done, err := ss.node.Backend.Signal(ctx, task.Step{Task: id, Name: name, Type: task.StepSignal, Result: kept}, audit)
	if err != nil {
		return nil, refusal("signaled", id, err)
	}
	if done.Woken {
		ss.node.Control.Steered([]*task.Task{done.Task})
		ss.node.Asked(done.Task, inspect.EventReleased)
	}
	if err := stands(&done.Step, kept); err != nil {
		return nil, err
	}
	return &inspect.Signaled{Step: done.Step, Repeated: !done.Added, State: done.Task.State, Woken: done.Woken}, nil
}

// stands refuses a signal that another was faster than, or the end of the wait.
func stands(step *task.Step, kept json.RawMessage) error {
	switch {
	case step.Unreadable != "":
		return &task.Error{Code: task.CodeUnavailable, Message: step.Unreadable, Hint: "the task was signaled already; a node with the key can tell whether it is the same"}
	case step.Type == task.StepTimeout:
		return &task.Error{Code: task.CodeConflict, Message: "the task has waited for signal " + task.Quote(step.Name) + " in vain, and goes on without it", Hint: "look at the task: what its handler does then is its own affair; if it dies and is redriven, it waits anew"}
	case !bytes.Equal(step.Result, kept):
		return &task.Error{Code: task.CodeConflict, Message: "the task was given another signal " + task.Quote(step.Name) + " already", Hint: "the first signal of a name stands: read it with the steps of the task"}
	}
	return nil
}

// checkSignal is the payload of a signal as it is kept: nothing for null.
func checkSignal(name string, payload json.RawMessage) (json.RawMessage, error) {
	if name == "" || name == "." || name == ".." || utf8.RuneCountInString(name) > task.MaxName || !utf8.ValidString(name) {
		return nil, task.Invalid("name", "the name of a signal has 1 to "+strconv.Itoa(task.MaxName)+" characters in UTF-8, and is neither . nor ..", "give the name for which the handler waits")
	}
	if payload = bytes.TrimSpace(payload); len(payload) == 0 {
		return nil, nil
	}
	var kept bytes.Buffer
	if err := json.Compact(&kept, payload); err != nil || !utf8.Valid(payload) {
		return nil, task.Invalid("payload", "the payload of a signal is not JSON", "send a JSON value, or nothing")
	}
	if kept.Len() > task.MaxResult {
		return nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload of a signal has " + strconv.Itoa(kept.Len()) + " bytes; the limit is " + strconv.Itoa(task.MaxResult),
			Hint: "keep it elsewhere, and send where it is", Fields: []task.Field{{Path: "payload", Message: "too large"}}}
	}
	if kept.String() == "null" {
		return nil, nil
	}
	return kept.Bytes(), nil
}

func (ts *Tasks) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*inspect.View, string, error) {
	if err := checkFilter(&filter, &page); err != nil {
		return nil, "", err
	}
	find := ts.node.Backend.Find
	if filter.Search != "" {
		find = ts.search
	}
	tasks, next, err := ts.recentFailures(ctx, find, filter, page)
	if err != nil {
		return nil, "", err
	}
	views, err := ts.View(ctx, tasks...)
	return views, next, err
}

// walkTime is how long Find goes on from page to page while it has found nothing.
const walkTime = 50 * time.Millisecond

// walk finds a page, and goes on behind those that are empty: so are some in a row
// where the newest tasks do not match, or are hidden.
func walk(ctx context.Context, find func(context.Context, store.Filter, store.Page) ([]*task.Task, string, error), filter store.Filter, page store.Page) ([]*task.Task, string, error) {
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

func (ts *Tasks) Count(ctx context.Context, filter store.Filter, limit int) (int, error) {
	if err := checkFilter(&filter, nil); err != nil {
		return 0, err
	}
	own := filter
	if own.Queue = leavesOut(&filter); own.Queue == "" {
		return ts.node.Backend.Count(ctx, filter, limit)
	}
	hidden, err := ts.node.Backend.Count(ctx, own, limit)
	if err != nil {
		return 0, err
	}
	all, err := ts.node.Backend.Count(ctx, filter, limit+hidden)
	return min(max(all-hidden, 0), limit), err
}

func (ts *Tasks) Cancel(ctx context.Context, id task.ID, options ...inspect.CancelOption) (*inspect.View, error) {
	if slices.Contains(options, inspect.Compensate) {
		return ts.cancelAndUndo(ctx, id)
	}
	t, err := ts.node.Backend.Cancel(ctx, id, actor.Audit(ctx, "task.cancel", "task/"+id.String()))
	if err != nil {
		return nil, refusal("canceled", id, err)
	}
	ts.node.Control.Canceled(id)
	ts.node.Ended(t)
	return ts.one(ctx, t)
}

// cancelAndUndo puts the order to cancel and undo a task on disk before it cancels it. So the
// order finds the task canceled, or cancels it in place of a node that was killed here.
func (ts *Tasks) cancelAndUndo(ctx context.Context, id task.ID) (*inspect.View, error) {
	row, err := ts.Row(ctx, id)
	if err != nil {
		return nil, err
	}
	switch row.State {
	case task.Dead:
		return nil, &task.Error{Code: task.CodeConflict, State: row.State, Message: "a task that is dead cannot be canceled and compensated",
			Hint: "when it died, what undoes its steps was enqueued: look for the tasks with the key compensation:" + id.String()}
	case task.Succeeded:
		return nil, &task.Error{Code: task.CodeConflict, State: row.State, Message: "a task that is succeeded cannot be canceled and compensated", Hint: "enqueue a task that undoes what it has done"}
	}
	order, err := ts.order(ctx, row)
	if err != nil {
		return nil, err
	}
	view, err := ts.Cancel(ctx, id)
	if refused := (*task.Error)(nil); errors.As(err, &refused) && refused.Code == task.CodeConflict && refused.State == task.Canceled {
		view, err = ts.Get(ctx, id)
	}
	if err == nil {
		view.CompensationTask, view.CompensationState = order.ID, order.State
	}
	return view, err
}

// order puts the order to compensate a task on disk, unless it is there.
func (ts *Tasks) order(ctx context.Context, t *task.Task) (*task.Task, error) {
	queue, err := ts.ownQueue(ctx)
	if err != nil {
		return nil, err
	}
	insert, err := compensate.Order(ctx, t, queue)
	if err != nil {
		return nil, err
	}
	if there, err := ts.node.Backend.Get(ctx, insert.Task.ID); err == nil {
		return there, nil
	}
	_, err = ts.node.Backend.Change(ctx, store.Change{
		Audit: []store.Audit{actor.Audit(ctx, "task.compensate", "task/"+t.ID.String())}, Enqueue: []store.Batch{{Items: []store.Insert{insert}}},
	})
	if err != nil {
		return nil, err
	}
	ts.node.Control.Wake(insert.Task.ID.Lane())
	return insert.Task, nil
}

// ownQueue is the queue of the engine's own tasks.
func (ts *Tasks) ownQueue(ctx context.Context) (*store.Queue, error) {
	topology, err := ts.node.topology(ctx)
	if err != nil {
		return nil, err
	}
	for i := range topology.Queues {
		if q := &topology.Queues[i]; q.Name == alerts.Queue && len(q.Numbers) > 0 {
			return q, nil
		}
	}
	return nil, &task.Error{Code: task.CodeUnavailable, Message: "there is no queue " + alerts.Queue + " yet", Hint: "start a node, which makes it"}
}

// compensated tells of the order to undo the steps of a task that is canceled or to be.
// What cannot be read stays empty.
func (ts *Tasks) compensated(ctx context.Context, view *inspect.View) {
	if len(view.Steps) == 0 || view.State != task.Canceled && !view.CancelRequested {
		return
	}
	queue, err := ts.ownQueue(ctx)
	if err != nil {
		return
	}
	if order, err := ts.node.Backend.Get(ctx, compensate.ID(view.Task, queue)); err == nil {
		view.CompensationTask, view.CompensationState = order.ID, order.State
	}
}

func (ts *Tasks) RetryNow(ctx context.Context, id task.ID) (*inspect.View, error) {
	return ts.reschedule(ctx, "retried", "task.retry", id, time.Time{})
}

func (ts *Tasks) Reschedule(ctx context.Context, id task.ID, at time.Time) (*inspect.View, error) {
	var c accept.Complaints
	c.Moment("run_at", at, time.Now())
	if err := c.Err("the time is invalid"); err != nil {
		return nil, err
	}
	return ts.reschedule(ctx, "rescheduled", "task.reschedule", id, accept.CeilMicro(at))
}

func (ts *Tasks) reschedule(ctx context.Context, asked, action string, id task.ID, at time.Time) (*inspect.View, error) {
	t, err := ts.node.Backend.Reschedule(ctx, id, at, actor.Audit(ctx, action, "task/"+id.String()))
	if err != nil {
		return nil, refusal(asked, id, err)
	}
	ts.node.Control.Rescheduled(t)
	ts.node.Asked(t, inspect.EventReleased)
	return ts.one(ctx, t)
}

// refusal says what was asked of a task whose state does not allow it, and
// what to do instead. Other errors stay as they are.
func refusal(asked string, id task.ID, err error) error {
	var e *task.Error
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
	return &task.Error{Code: task.CodeConflict, State: e.State, Message: "a task that is " + string(e.State) + " cannot be " + asked, Hint: hint, Err: err}
}

// mostWaitPages is how many pages FindWaiting looks through in one call.
const mostWaitPages = 10

func (ts *Tasks) FindWaiting(ctx context.Context, why task.Waiting, filter store.Filter, page store.Page) (found []*inspect.View, next string, err error) {
	if !slices.Contains(task.Waitings[:], why) {
		return nil, "", task.Invalid("waiting", task.Quote(string(why))+" is no reason to wait", "one of "+waitingList())
	}
	if filter.State != "" && filter.State != task.Pending {
		return nil, "", task.Invalid("waiting", "only pending tasks wait", "leave out state")
	}
	if page.Limit == 0 {
		page.Limit = usualPage
	}
	filter.State = task.Pending
	look := page
	for range mostWaitPages {
		look.Limit = page.Limit - len(found)
		views, cursor, err := ts.Find(ctx, filter, look)
		if err != nil {
			return nil, "", err
		}
		for _, view := range views {
			if view.Waiting == why {
				found = append(found, view)
			}
		}
		if look.Cursor = cursor; cursor == "" || len(found) == page.Limit {
			break
		}
	}
	return found, look.Cursor, nil
}

func waitingList() string {
	text := ""
	for n, why := range task.Waitings {
		if n > 0 {
			text += ", "
		}
		text += string(why)
	}
	return text
}

func (ts *Tasks) Bulk(ctx context.Context, request inspect.BulkRequest) (inspect.BulkResult, error) {
	var c accept.Complaints
	if request.Action == inspect.BulkReschedule && !request.RunAt.IsZero() {
		c.Moment("run_at", request.RunAt, time.Now())
		request.RunAt = accept.CeilMicro(request.RunAt)
	}
	if err := c.Err("the time is invalid"); err != nil {
		return inspect.BulkResult{}, err
	}
	if request.Filter != nil {
		if err := checkFilter(request.Filter, nil); err != nil {
			return inspect.BulkResult{}, err
		}
		request.Hidden = leavesOut(request.Filter)
	}
	return ts.node.Bulk.Do(ctx, request, actor.Audit(ctx, "task."+string(request.Action), ""))
}
