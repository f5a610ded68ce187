package dead

import (
	"context"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindRedrive is the kind of the operations of this package.
const KindRedrive = "redrive"

// saved is a request as the operation keeps it, with how far it has come.
type saved struct {
	Filter        store.Filter `json:"filter"`        // of a redrive by ids, only the queue that all are of
	IDs           []task.ID    `json:"ids,omitempty"` // until they are planned
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
}

func (s *saved) watches() bool { return s.Canary > 0 || s.StopIfFailing > 0 }

// awaitsCanary reports whether the canary has not passed yet.
func (s *saved) awaitsCanary() bool { return s.Canary > 0 && !s.Progress.Passed }

func opened(operation *store.Operation) (*redrive, error) {
	o := &redrive{Operation: operation}
	if err := json.Unmarshal(operation.Request, &o.saved); err != nil {
		return nil, err
	}
	if o.HasPayload && o.Payload == nil {
		o.Payload = []byte{}
	}
	return o, nil
}

// ProgressOf tells how far a redrive has come; false for other operations.
func ProgressOf(operation *store.Operation) (Progress, bool) {
	if operation.Kind != KindRedrive {
		return Progress{}, false
	}
	o, err := opened(operation)
	if err != nil {
		return Progress{}, false
	}
	return o.Progress, true
}

// RequestOf is what was asked of a redrive; IDs are not kept, named is how many
// they were. nil if it cannot be read.
func RequestOf(operation *store.Operation) (request *Request, named int) {
	o, err := opened(operation)
	if err != nil {
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
		kept.Filter.Queue = r.queueOf(letters)
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
	audit.Subject, audit.After = subject(result.Operation), request.described(result.Matched)
	operation, err := r.backend.PutOperation(ctx, store.Operation{
		ID: result.Operation, Kind: KindRedrive, State: store.OperationRunning, Request: text, Node: r.self(), Matched: result.Matched, CreatedAt: now,
	}, audit)
	if err != nil {
		return Result{}, err
	}
	r.take(operation)
	return result, nil
}

// queueOf is the queue that all of the letters are of; "" if there is none.
func (r *Redriver) queueOf(letters []store.Letter) (queue string) {
	queues := map[uint16]string{}
	for _, lane := range r.node.Topology().Lanes {
		queues[lane.Number] = lane.Queue
	}
	for i, letter := range letters {
		of := queues[letter.ID.Lane()]
		if i > 0 && of != queue {
			return ""
		}
		queue = of
	}
	return queue
}

// subject is an operation in the audit log.
func subject(id string) string { return "operation/" + id }

// Pause stops a running operation after its current batch, until [Redriver.Resume].
func (r *Redriver) Pause(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.change(ctx, id, audit, store.OperationPaused, store.OperationRunning)
}

// Resume lets a paused operation go on, on this node if it takes part. If it
// was paused since its canary did not end in time, it goes on without it.
func (r *Redriver) Resume(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	operation, err := r.change(ctx, id, audit, store.OperationRunning, store.OperationPaused)
	r.look()
	return operation, err
}

// Cancel ends an operation after its current batch. What was sent back stays.
func (r *Redriver) Cancel(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.change(ctx, id, audit, store.OperationCanceled, store.OperationRunning, store.OperationPaused)
}

// change moves an operation to a state from one of the given ones; from any
// other it is a conflict. A repeat is none, and changes nothing.
func (r *Redriver) change(ctx context.Context, id string, audit store.Audit, to store.OperationState, from ...store.OperationState) (*store.Operation, error) {
	o, err := r.update(ctx, id, func(o *redrive) ([]store.Audit, error) {
		if o.State == to {
			return nil, errUnchanged
		}
		for _, state := range from {
			if o.State == state {
				o.move(to, r.self())
				audit.Subject = subject(id)
				audit.Before, audit.After = stateText(state), stateText(to)
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

func stateText(state store.OperationState) []byte { return []byte(`{"state":"` + string(state) + `"}`) }

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

// errUnchanged ends an update without writing.
var errUnchanged = &task.Error{Code: task.CodeConflict, Message: "nothing to change"}

// update changes an operation as it stands, again if another was faster. The
// rows of the audit log are written with the change.
func (r *Redriver) update(ctx context.Context, id string, change func(*redrive) ([]store.Audit, error)) (*redrive, error) {
	for {
		operation, err := r.backend.Operation(ctx, id)
		if err != nil {
			return nil, err
		}
		o, err := opened(operation)
		if err != nil {
			return nil, err
		}
		rows, err := change(o)
		if err == errUnchanged { //nolint:errorlint // a sentinel of this file
			return o, nil
		} else if err != nil {
			return o, err
		}
		if o.Request, err = json.Marshal(&o.saved); err != nil {
			return nil, err
		}
		stored, err := r.backend.PutOperation(ctx, *o.Operation, rows...)
		if err == nil {
			o.Operation = stored
			return o, nil
		}
		if !isCode(err, task.CodeConflict) {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}
