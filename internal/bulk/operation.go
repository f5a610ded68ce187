package bulk

import (
	"context"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// work is an operation: what was asked for, and how far it has come.
type work struct {
	operation.Base
	Action   inspect.BulkAction `json:"action"`
	Hidden   string             `json:"hidden,omitempty"`
	RunAt    time.Time          `json:"run_at,omitzero"`
	Reason   string             `json:"reason,omitempty"`
	Progress `json:"progress"`
	// Results are the letters of the chunk at hand, up to Operation.Done. They are in
	// the transaction that changed the tasks.
	Results []byte `json:"results,omitempty"`
}

// counts are those that all operations have.
type counts = operation.Progress

// Progress is how far an operation has come: also what it waits for, and how many tasks
// it has skipped, since they ran, had ended or were not there.
type Progress struct {
	counts
	Cursor  string `json:"cursor,omitempty"` // where the next chunk begins
	Changed int    `json:"changed"`          // tasks canceled or moved, and running ones that were asked to end
}

// shown is an operation of this package as people see it, else nil.
func shown(stored *store.Operation) *work {
	if !Is(stored.Kind) {
		return nil
	}
	return operation.Shown[work](stored)
}

// ProgressOf tells how far an operation has come; false for those of other packages.
func ProgressOf(stored *store.Operation) (Progress, bool) {
	if o := shown(stored); o != nil {
		return o.Progress, true
	}
	return Progress{}, false
}

// RequestOf is what was asked for; IDs are not kept, named is how many they were.
// nil if it cannot be read or is not of this package.
func RequestOf(stored *store.Operation) (request *inspect.BulkRequest, named int) {
	o := shown(stored)
	if o == nil || o.Unread {
		return nil, 0
	}
	request = &inspect.BulkRequest{Action: o.Action, RunAt: o.RunAt, Reason: o.Reason}
	if o.Named == 0 {
		request.Filter = &o.Filter
	}
	return request, o.Named
}

// QueuesOf are the queues that an operation is about; none if it may be about all.
func QueuesOf(stored *store.Operation) []string {
	if o := shown(stored); o != nil {
		return o.About()
	}
	return nil
}

// mostNamed is how many ids of a call the audit log names.
const mostNamed = 20

// described is a request for the audit log.
func described(r *inspect.BulkRequest, matched int) []byte {
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

// Items is a page of the report of an operation, in the order in which its tasks
// go: at most page.Limit of them, 100 when it is 0.
func (r *Runner) Items(ctx context.Context, id string, page store.Page) (items []inspect.BulkItem, next string, err error) {
	next, err = r.Report(ctx, id, page, func(o *work, item *operation.Item) {
		items = append(items, inspect.BulkItem{Place: item.Place + 1, ID: item.ID, Status: o.status(item), Task: item.Task})
	})
	return items, next, err
}
