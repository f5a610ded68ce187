package dead

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindRedrive is the kind of the operations of this package.
const KindRedrive = "redrive"

// saved is a request as the operation keeps it, with how far it has come.
type saved struct {
	Filter        store.Filter `json:"filter"`
	Queues        []string     `json:"queues,omitempty"` // of the letters of a redrive by ids
	IDs           []task.ID    `json:"ids,omitempty"`    // until they are planned
	Named         int          `json:"named,omitempty"`
	Rate          float64      `json:"rate,omitempty"`
	Canary        int          `json:"canary,omitempty"`
	StopIfFailing float64      `json:"stop_if_failing,omitempty"`
	KeepAttempts  bool         `json:"keep_attempts,omitempty"`
	Payload       []byte       `json:"payload,omitempty"`
	HasPayload    bool         `json:"has_payload,omitempty"` // an empty one replaces, too
	Progress      Progress     `json:"progress"`
}

// Progress is how far a redrive has come. What is handled are the first
// Operation.Done letters of its plan.
type Progress struct {
	Planned   int       `json:"planned"`         // letters in the plan
	Complete  bool      `json:"complete"`        // the plan is
	Cursor    task.ID   `json:"cursor,omitzero"` // up to where letters were listed
	Sent      int       `json:"sent"`            // letters sent back
	Skipped   int       `json:"skipped"`         // letters that were no dead letters any more
	Succeeded int       `json:"succeeded"`       // of the last 1000 sent back; only where they are watched
	Failing   int       `json:"failing"`         // of the last 1000 sent back; only where they are watched
	Waiting   string    `json:"waiting,omitempty"`
	CanaryAt  time.Time `json:"canary_at,omitzero"` // when the last of the canary was sent
	Passed    bool      `json:"passed,omitempty"`   // the canary, or a resume has ended the waiting for it
	Overdue   bool      `json:"overdue,omitempty"`  // the canary did not end in time
	Forgotten bool      `json:"forgotten,omitempty"`
}

// redrive is an operation that is worked on.
type redrive struct {
	*store.Operation
	saved
	unread bool // the request does not open here: it stays as it is, and saved says nothing
}

func (s *saved) watches() bool { return s.Canary > 0 || s.StopIfFailing > 0 }

// awaitsCanary reports whether the canary has not passed yet.
func (s *saved) awaitsCanary() bool { return s.Canary > 0 && !s.Progress.Passed }

func opened(stored *store.Operation) (*redrive, error) {
	if err := operation.Sealed(stored); err != nil {
		return nil, err
	}
	o := &redrive{Operation: stored}
	if err := json.Unmarshal(stored.Request, &o.saved); err != nil {
		return nil, err
	}
	if o.HasPayload && o.Payload == nil {
		o.Payload = []byte{}
	}
	return o, nil
}

// ProgressOf tells how far a redrive has come; false for other operations.
func ProgressOf(stored *store.Operation) (Progress, bool) {
	if stored.Kind != KindRedrive {
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

// RequestOf is what was asked of a redrive; IDs are not kept, named is how many
// they were. nil if it cannot be read.
func RequestOf(stored *store.Operation) (request *Request, named int) {
	o, err := opened(stored)
	if err != nil || stored.Kind != KindRedrive {
		return nil, 0
	}
	request = &Request{Rate: o.Rate, Canary: o.Canary, StopIfFailing: o.StopIfFailing, KeepAttempts: o.KeepAttempts, Payload: o.Payload}
	if o.Named == 0 {
		request.Filter = &o.Filter
	}
	return request, o.Named
}

// begin saves an operation and starts to work on it.
func (r *Redriver) begin(ctx context.Context, request *Request, audit store.Audit) (result Result, err error) {
	now := time.Now()
	kept := saved{
		Rate: request.Rate, Canary: request.Canary, StopIfFailing: request.StopIfFailing, KeepAttempts: request.KeepAttempts,
		Payload: request.Payload, HasPayload: request.Payload != nil,
	}
	if request.Filter == nil {
		kept.IDs, kept.Named = request.IDs, len(request.IDs)
		letters, missing, err := r.named(ctx, request.IDs)
		if err != nil {
			return Result{}, err
		}
		result.Matched, result.Missing = len(letters), missing
		kept.Queues = r.queuesOf(letters)
	} else {
		// Letters that die from now on are not meant. On the node's clock: one
		// that died within the clocks' difference may be left out.
		kept.Filter = Letters(*request.Filter)
		if kept.Filter.DiedBefore.IsZero() || kept.Filter.DiedBefore.After(now) {
			kept.Filter.DiedBefore = now
		}
		if result.Matched, err = r.backend.Count(ctx, kept.Filter, mostCounted); err != nil {
			return Result{}, err
		}
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return Result{}, err
	}
	result.Operation = newOperationID(now)
	audit.Subject, audit.After = operation.Subject(result.Operation), request.described(result.Matched)
	begun, err := r.backend.PutOperation(ctx, store.Operation{
		ID: result.Operation, Kind: KindRedrive, State: store.OperationRunning, Request: text, Node: r.runner.Self(), Matched: result.Matched, CreatedAt: now,
	}, audit)
	if err != nil {
		return Result{}, err
	}
	r.runner.Take(begun)
	return result, nil
}

// queuesOf are the queues that letters are of, "" among them where this node does not
// know one.
func (r *Redriver) queuesOf(letters []store.Letter) (queues []string) {
	of := map[uint16]string{}
	for _, lane := range r.node.Topology().Lanes {
		of[lane.Number] = lane.Queue
	}
	for _, letter := range letters {
		if queue := of[letter.ID.Lane()]; !slices.Contains(queues, queue) {
			queues = append(queues, queue)
		}
	}
	return queues
}

// QueuesOf are the queues that a redrive is about; none if it may be about all.
func QueuesOf(operation *store.Operation) []string {
	o, err := opened(operation)
	switch {
	case err != nil || operation.Kind != KindRedrive:
		return nil
	case o.Filter.Queue != "":
		return []string{o.Filter.Queue}
	}
	return o.Queues
}

// Pause stops a running operation after its current batch, until [Redriver.Resume].
func (r *Redriver) Pause(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.change(ctx, id, audit, store.OperationPaused, store.OperationRunning)
}

// Resume lets a paused operation go on, on this node if it takes part. If it
// was paused since its canary did not end in time, it goes on without it.
func (r *Redriver) Resume(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	operation, err := r.change(ctx, id, audit, store.OperationRunning, store.OperationPaused)
	r.runner.Look()
	return operation, err
}

// Cancel ends an operation after its current batch. What was sent back stays. It needs
// no key of an operation that is encrypted: that one may be lost.
func (r *Redriver) Cancel(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.change(ctx, id, audit, store.OperationCanceled, store.OperationRunning, store.OperationPaused)
}

// change moves an operation to a state from one of the given ones; from any
// other it is a conflict. A repeat is none, and changes nothing.
func (r *Redriver) change(ctx context.Context, id string, audit store.Audit, to store.OperationState, from ...store.OperationState) (*store.Operation, error) {
	o, err := r.update(ctx, id, func(o *redrive) ([]store.Audit, error) {
		if o.unread && to != store.OperationCanceled {
			return nil, operation.Sealed(o.Operation)
		}
		if o.State == to {
			return nil, errUnchanged
		}
		for _, state := range from {
			if o.State == state {
				o.move(to, r.runner.Self())
				audit.Subject = operation.Subject(id)
				audit.Before, audit.After = operation.StateText(state), operation.StateText(to)
				return []store.Audit{audit}, nil
			}
		}
		return nil, &task.Error{Code: task.CodeConflict, Message: "the operation is " + string(o.State)}
	})
	if o == nil {
		return nil, err
	}
	return o.Operation, err
}

// move changes the state, as an operator wants it.
func (o *redrive) move(to store.OperationState, node string) {
	o.State = to
	switch to {
	case store.OperationCanceled:
		o.FinishedAt, o.Progress.Waiting = time.Now(), ""
	case store.OperationRunning:
		o.Error = ""
		if o.Progress.Overdue {
			o.Progress.Overdue, o.Progress.Passed = false, true
		}
		if node != "" {
			o.Node = node
		}
	}
}

// save puts what is known of the request into the operation.
func (o *redrive) save() (err error) {
	if !o.unread {
		o.Request, err = json.Marshal(&o.saved)
	}
	return err
}

// errUnchanged ends an update without writing.
var errUnchanged = operation.ErrUnchanged

// update changes an operation as it stands, again if another was faster. The
// rows of the audit log are written with the change.
func (r *Redriver) update(ctx context.Context, id string, change func(*redrive) ([]store.Audit, error)) (*redrive, error) {
	var o *redrive
	stored, err := r.runner.Update(ctx, id, func(stored *store.Operation) (rows []store.Audit, err error) {
		if o, err = opened(stored); err != nil && !store.IsSealed(stored.Request) {
			return nil, err
		} else if err != nil {
			o = &redrive{Operation: stored, unread: true}
		}
		if rows, err = change(o); err == nil {
			err = o.save()
		}
		return rows, err
	})
	if o != nil && err == nil {
		o.Operation = stored
	}
	return o, err
}
