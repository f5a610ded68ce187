package dead

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindRedrive is the kind of the operations of this package.
const KindRedrive = "redrive"

func isRedrive(kind string) bool { return kind == KindRedrive }

// redrive is an operation: what was asked for, and how far it has come.
type redrive struct {
	operation.Base
	Rate          float64 `json:"rate,omitempty"`
	Canary        int     `json:"canary,omitempty"`
	StopIfFailing float64 `json:"stop_if_failing,omitempty"`
	KeepAttempts  bool    `json:"keep_attempts,omitempty"`
	Payload       []byte  `json:"payload,omitempty"`
	HasPayload    bool    `json:"has_payload,omitempty"` // an empty one replaces, too
	Progress      `json:"progress"`
}

// counts are those that all operations have.
type counts = operation.Progress

// Progress is how far a redrive has come: also what it waits for, and how many letters
// it has skipped, since they were no dead letters any more.
type Progress struct {
	counts
	Cursor    task.ID   `json:"cursor,omitzero"`    // up to where letters were listed
	Sent      int       `json:"sent"`               // letters sent back
	Succeeded int       `json:"succeeded"`          // of the last 1000 sent back; only where they are watched
	Failing   int       `json:"failing"`            // of the last 1000 sent back; only where they are watched
	CanaryAt  time.Time `json:"canary_at,omitzero"` // when the last of the canary was sent
	Passed    bool      `json:"passed,omitempty"`   // the canary
	Overdue   bool      `json:"overdue,omitempty"`  // the canary did not end in time: a resume goes on without it
}

func (o *redrive) watches() bool { return o.Canary > 0 || o.StopIfFailing > 0 }

// awaitsCanary reports whether the canary decides what comes next.
func (o *redrive) awaitsCanary() bool { return o.Canary > 0 && !o.Passed && !o.Overdue }

// payload replaces those of the letters, nil if there is none.
func (o *redrive) payload() []byte {
	if o.HasPayload && o.Payload == nil {
		return []byte{}
	}
	return o.Payload
}

// shown is a redrive as people see it, nil for other operations.
func shown(stored *store.Operation) *redrive {
	if !isRedrive(stored.Kind) {
		return nil
	}
	return operation.Shown[redrive](stored)
}

// ProgressOf tells how far a redrive has come; false for other operations.
func ProgressOf(stored *store.Operation) (Progress, bool) {
	if o := shown(stored); o != nil {
		return o.Progress, true
	}
	return Progress{}, false
}

// RequestOf is what was asked of a redrive; IDs are not kept, named is how many
// they were. nil if it cannot be read.
func RequestOf(stored *store.Operation) (request *inspect.RedriveRequest, named int) {
	o := shown(stored)
	if o == nil || o.Unread {
		return nil, 0
	}
	request = &inspect.RedriveRequest{Rate: o.Rate, Canary: o.Canary, StopIfFailing: o.StopIfFailing, KeepAttempts: o.KeepAttempts, Payload: o.payload()}
	if o.Named == 0 {
		request.Filter = &o.Filter
	}
	return request, o.Named
}

// QueuesOf are the queues that a redrive is about; none if it may be about all.
func QueuesOf(stored *store.Operation) []string {
	if o := shown(stored); o != nil {
		return o.About()
	}
	return nil
}

// begin begins an operation.
func (r *Redriver) begin(ctx context.Context, request *inspect.RedriveRequest, audit store.Audit) (result inspect.RedriveResult, err error) {
	o := &redrive{
		Rate: request.Rate, Canary: request.Canary, StopIfFailing: request.StopIfFailing, KeepAttempts: request.KeepAttempts,
		Payload: request.Payload, HasPayload: request.Payload != nil,
	}
	if request.Filter == nil {
		letters, missing, err := r.named(ctx, request.IDs)
		if err != nil {
			return inspect.RedriveResult{}, err
		}
		result.Matched, result.Missing = len(letters), missing
		o.IDs, o.Named, o.Queues = request.IDs, len(request.IDs), r.QueuesOf(idsOf(letters))
	} else {
		o.Filter = bounded(*request.Filter, r.clock.Now(ctx))
		if result.Matched, err = r.backend.Count(ctx, o.Filter, mostCounted); err != nil {
			return inspect.RedriveResult{}, err
		}
	}
	audit.After = described(request, result.Matched)
	if result.Operation, err = r.Begin(ctx, o, KindRedrive, result.Matched, audit); err != nil {
		return inspect.RedriveResult{}, err
	}
	return result, nil
}
