package bulk

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// saved is a request as the operation keeps it, with how far it has come.
type saved struct {
	Action   Action       `json:"action"`
	Filter   store.Filter `json:"filter"`
	Hidden   string       `json:"hidden,omitempty"`
	Queues   []string     `json:"queues,omitempty"` // of tasks that are named
	IDs      []task.ID    `json:"ids,omitempty"`    // until they are planned
	Named    int          `json:"named,omitempty"`
	RunAt    time.Time    `json:"run_at,omitzero"`
	Reason   string       `json:"reason,omitempty"`
	Progress Progress     `json:"progress"`
	// Results are the letters of the chunk at hand, up to Operation.Done. They are in
	// the transaction that changed the tasks.
	Results []byte `json:"results,omitempty"`
}

// Progress is how far an operation has come. What is handled are the first
// Operation.Done tasks of its plan.
type Progress struct {
	Planned   int    `json:"planned"`  // tasks in the plan
	Complete  bool   `json:"complete"` // the plan is
	Cursor    string `json:"cursor,omitempty"`
	Changed   int    `json:"changed"` // tasks canceled or moved, and running ones that were asked to end
	Skipped   int    `json:"skipped"` // tasks left alone, since they ran, had ended or were not there
	Waiting   string `json:"waiting,omitempty"`
	Forgotten bool   `json:"forgotten,omitempty"`
}

// work is an operation that is worked on.
type work struct {
	*store.Operation
	saved
	unread bool // the request does not open here: it stays as it is, and saved says nothing
}

func opened(stored *store.Operation) (*work, error) {
	if err := operation.Sealed(stored); err != nil {
		return nil, err
	}
	o := &work{Operation: stored}
	return o, json.Unmarshal(stored.Request, &o.saved)
}

// ProgressOf tells how far an operation has come; false for those of other packages.
func ProgressOf(stored *store.Operation) (Progress, bool) {
	if !Is(stored.Kind) {
		return Progress{}, false
	}
	o, err := opened(stored)
	if err != nil && stored.State == store.OperationRunning && store.IsSealed(stored.Request) {
		return Progress{Waiting: operation.AwaitsKey}, true
	}
	if err != nil {
		return Progress{}, false
	}
	return o.Progress, true
}

// RequestOf is what was asked for; IDs are not kept, named is how many they were.
// nil if it cannot be read or is not of this package.
func RequestOf(stored *store.Operation) (request *Request, named int) {
	o, err := opened(stored)
	if err != nil || !Is(stored.Kind) {
		return nil, 0
	}
	request = &Request{Action: o.Action, RunAt: o.RunAt, Reason: o.Reason}
	if o.Named == 0 {
		request.Filter = &o.Filter
	}
	return request, o.Named
}

// QueuesOf are the queues that an operation is about; none if it may be about all.
func QueuesOf(stored *store.Operation) []string {
	o, err := opened(stored)
	switch {
	case err != nil || !Is(stored.Kind):
		return nil
	case o.Filter.Queue != "":
		return []string{o.Filter.Queue}
	}
	return o.Queues
}

// mostNamed is how many ids of a call the audit log names.
const mostNamed = 20

// described is a request for the audit log.
func (r *Request) described(matched int) []byte {
	said := struct {
		IDs     int            `json:"ids,omitempty"`
		Named   []task.ID      `json:"named,omitempty"` // the first of them
		Filter  map[string]any `json:"filter,omitempty"`
		Matched int            `json:"matched"`
		RunAt   time.Time      `json:"run_at,omitzero"`
		Reason  string         `json:"reason,omitempty"`
	}{len(r.IDs), r.IDs[:min(len(r.IDs), mostNamed)], nil, matched, r.RunAt, r.Reason}
	if r.Filter != nil {
		said.Filter = r.Filter.Said()
	}
	text, _ := json.Marshal(said) // plain values
	return text
}

// Pause stops a running operation after its current batch, until [Runner.Resume].
func (r *Runner) Pause(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.change(ctx, id, audit, store.OperationPaused, store.OperationRunning)
}

// Resume lets a paused operation go on, on this node if it takes part.
func (r *Runner) Resume(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	changed, err := r.change(ctx, id, audit, store.OperationRunning, store.OperationPaused)
	r.runner.Look()
	return changed, err
}

// Cancel ends an operation after its current batch. What was done stays done. It needs
// no key of an operation that is encrypted: that one may be lost.
func (r *Runner) Cancel(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.change(ctx, id, audit, store.OperationCanceled, store.OperationRunning, store.OperationPaused)
}

// change moves an operation to a state from one of the given ones; from any other it
// is a conflict. A repeat is none, and changes nothing.
func (r *Runner) change(ctx context.Context, id string, audit store.Audit, to store.OperationState, from ...store.OperationState) (*store.Operation, error) {
	return r.update(ctx, id, func(o *work) ([]store.Audit, error) {
		was := o.State
		if o.unread && to != store.OperationCanceled {
			return nil, operation.Sealed(o.Operation)
		}
		if was == to {
			return nil, operation.ErrUnchanged
		}
		if !slices.Contains(from, was) {
			return nil, &task.Error{Code: task.CodeConflict, Message: "the operation is " + string(was)}
		}
		o.State, o.Progress.Waiting = to, ""
		switch to {
		case store.OperationCanceled:
			o.FinishedAt = time.Now()
		case store.OperationRunning:
			o.Error = ""
			if self := r.runner.Self(); self != "" {
				o.Node = self
			}
		}
		audit.Subject, audit.Before, audit.After = operation.Subject(id), operation.StateText(was), operation.StateText(to)
		return []store.Audit{audit}, nil
	})
}

// update changes an operation as it stands, again if another was faster. The rows of
// the audit log are written with the change.
func (r *Runner) update(ctx context.Context, id string, change func(*work) ([]store.Audit, error)) (*store.Operation, error) {
	return r.runner.Update(ctx, id, func(stored *store.Operation) ([]store.Audit, error) {
		o, err := opened(stored)
		if err != nil && !store.IsSealed(stored.Request) {
			return nil, err
		} else if err != nil {
			o = &work{Operation: stored, unread: true}
		}
		rows, err := change(o)
		if err == nil {
			err = o.save()
		}
		return rows, err
	})
}

// save puts what has become of the request into the operation.
func (o *work) save() (err error) {
	if !o.unread {
		o.Request, err = json.Marshal(&o.saved)
	}
	return err
}
