package historytest

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// ErrNotDone is in the chain of errors of calls that have certainly done nothing.
var ErrNotDone = errors.New("not done")

// History is what many nodes saw of one store. Calls are ordered by a count, not
// by the clock, so that it can be kept in virtual time. It is safe for concurrent use.
type History struct {
	*history
	count atomic.Int64

	mu    sync.Mutex
	asked map[request]int64 // calls that were repeated until they were answered: when they began first
}

// request is a call that is one and the same however often it is repeated.
type request struct {
	id      task.ID
	kind    kind
	claim   int64
	outcome task.Outcome

	unstarted bool
}

func (r request) call() call {
	return call{kind: r.kind, claim: r.claim, outcome: r.outcome, unstarted: r.unstarted}
}

// NewHistory makes an empty history.
func NewHistory() *History {
	h := &History{history: newHistory(), asked: map[request]int64{}}
	h.now = func() int64 { return h.count.Add(1) }
	return h
}

// Node returns the store as a node sees it: what it enqueues, claims and settles
// is recorded as it is told. A call that is repeated until it is answered is one.
func (h *History) Node(client int, backend store.Backend) store.Backend {
	return &seen{Backend: backend, h: h, client: client}
}

// Truth returns the store as it is, where no answer is lost: recoveries are recorded,
// what operators do, and what is enqueued with the end of another task.
func (h *History) Truth(client int, backend store.Backend) store.Backend {
	return &truth{Backend: backend, h: h, client: client}
}

// Findings names the tasks whose answers no order explains. Nothing may be under way.
func (h *History) Findings() []string {
	h.mu.Lock()
	for one, began := range h.asked {
		h.tasks[one.id] = append(h.tasks[one.id], porcupine.Operation{
			Input: one.call(), Call: began, Output: answer{verdict: unknown}, Return: math.MaxInt64,
		})
	}
	clear(h.asked)
	h.mu.Unlock()
	return h.findings()
}

// begin notes that a call begins, or is repeated, and returns when.
func (h *History) begin(one request) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	if _, again := h.asked[one]; !again {
		h.asked[one] = now
	}
	return now
}

// failed notes that a call that began at a time has no answer.
func (h *History) failed(one request, began int64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked[one] == began && errors.Is(err, ErrNotDone) {
		delete(h.asked, one)
	}
}

// ended records the answer of a call that began at a time. Those before it, which had
// none, may have been done or not: they are one call.
func (h *History) ended(client int, one request, began int64, a answer) {
	h.mu.Lock()
	first := h.asked[one]
	delete(h.asked, one)
	h.mu.Unlock()
	what := one.call()
	if first > 0 && first < began {
		h.add(client, one.id, first, what, answer{verdict: unknown})
	}
	h.add(client, one.id, began, what, a)
}

// seen is the store of a node.
type seen struct {
	store.Backend
	h      *History
	client int
}

func (s *seen) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	var all []request
	var began []int64
	for _, b := range batches {
		for _, item := range b.Items {
			all = append(all, request{id: item.Task.ID, kind: enqueues})
			began = append(began, s.h.begin(all[len(all)-1]))
		}
	}
	results, err := s.Backend.Enqueue(ctx, batches)
	at := 0
	for i := range batches {
		for j := range batches[i].Items {
			switch {
			case err != nil:
				s.h.failed(all[at], began[at], err)
			case results[i].Err != nil:
			case results[i].Items[j].Existing != nil:
				s.h.ended(s.client, all[at], began[at], answer{existing, rowOf(results[i].Items[j].Existing)})
			default:
				s.h.ended(s.client, all[at], began[at], answer{verdict: done})
			}
			at++
		}
	}
	return results, err
}

func (s *seen) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	began := s.h.now()
	claimed, err := s.Backend.Claim(ctx, claim)
	what := call{kind: claims, node: claim.Holder()}
	switch {
	case errors.Is(err, ErrNotDone):
	case err != nil:
		for _, item := range claim.Items {
			s.h.add(s.client, item.ID, began, what, answer{verdict: unknown})
		}
	default:
		for _, t := range claimed.Tasks {
			s.h.add(s.client, t.ID, began, what, answer{done, rowOf(t)})
		}
	}
	return claimed, err
}

func (s *seen) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	began := s.h.now()
	tasks, err := s.Backend.Running(ctx, node, ids)
	if err == nil && ids != nil {
		for _, t := range tasks {
			s.h.add(s.client, t.ID, began, call{kind: reads}, answer{done, rowOf(t)})
		}
	}
	return tasks, err
}

func (s *seen) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	all, began := make([]request, len(settlements)), make([]int64, len(settlements))
	for i := range settlements {
		all[i] = request{settlements[i].Task.ID, settles, settlements[i].Task.Claim, settlements[i].Outcome, settlements[i].Unstarted}
		began[i] = s.h.begin(all[i])
	}
	results, err := s.Backend.Settle(ctx, settlements)
	for i := range all {
		if err != nil {
			s.h.failed(all[i], began[i], err)
			continue
		}
		switch results[i].Status {
		case store.StatusOK:
			s.h.ended(s.client, all[i], began[i], answer{done, row{state: results[i].State}})
		case store.StatusStale:
			s.h.ended(s.client, all[i], began[i], answer{verdict: stale})
		case store.StatusNotFound:
			s.h.ended(s.client, all[i], began[i], answer{verdict: missing})
		}
	}
	return results, err
}

// truth is the store without faults.
type truth struct {
	store.Backend
	h      *History
	client int
}

func (s *truth) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	began := s.h.now()
	rows, err := s.Backend.Recover(ctx, lanes, limit)
	for i := range rows {
		state := task.Pending
		if rows[i].Canceled {
			state = task.Canceled
		}
		s.h.add(s.client, rows[i].ID, began, call{kind: recovers, node: rows[i].Node, claim: rows[i].OldClaim}, answer{done, row{state: state, claim: rows[i].Claim}})
	}
	return rows, err
}

// Settle records the tasks that were enqueued with an end: perhaps, since the end may have
// been recorded before.
func (s *truth) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	began := s.h.now()
	results, err := s.Backend.Settle(ctx, settlements)
	for i := range results {
		if results[i].Status != store.StatusOK {
			continue
		}
		for _, follow := range settlements[i].Follow {
			s.h.add(s.client, follow.Task.ID, began, call{kind: enqueues}, answer{verdict: unknown})
		}
	}
	return results, err
}

func (s *truth) FinishGroup(ctx context.Context, id task.ID, counted task.GroupCounts, callback store.Insert) (*task.Group, error) {
	began := s.h.now()
	group, err := s.Backend.FinishGroup(ctx, id, counted, callback)
	if err == nil && group.CallbackTask == callback.Task.ID {
		s.h.add(s.client, callback.Task.ID, began, call{kind: enqueues}, answer{verdict: unknown})
	}
	return group, err
}

func (s *truth) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	began := s.h.now()
	t, err := s.Backend.Cancel(ctx, id, audit...)
	s.operated(id, began, cancels, t, err)
	return t, err
}

func (s *truth) Reschedule(ctx context.Context, id task.ID, at time.Time, audit ...store.Audit) (*task.Task, error) {
	began := s.h.now()
	t, err := s.Backend.Reschedule(ctx, id, at, audit...)
	s.operated(id, began, reschedules, t, err)
	return t, err
}

func (s *truth) operated(id task.ID, began int64, what kind, t *task.Task, err error) {
	a := answer{verdict: done}
	if err != nil {
		a.verdict, a.row.state = outcomeOf(err)
	} else {
		a.row = rowOf(t)
	}
	s.h.add(s.client, id, began, call{kind: what}, a)
}

func (s *truth) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) ([]store.Redriven, []task.ID, error) {
	began := s.h.now()
	again, missed, err := s.Backend.Redrive(ctx, ids, options)
	for i := range again {
		s.h.add(s.client, again[i].ID, began, call{kind: redrives, keep: options.KeepAttempts}, answer{verdict: done})
	}
	for _, id := range missed {
		s.h.add(s.client, id, began, call{kind: redrives, keep: options.KeepAttempts}, answer{verdict: missing})
	}
	return again, missed, err
}

func (s *truth) Get(ctx context.Context, id task.ID) (*task.Task, error) {
	began := s.h.now()
	t, err := s.Backend.Get(ctx, id)
	switch {
	case err == nil:
		s.h.add(s.client, id, began, call{kind: reads}, answer{done, rowOf(t)})
	case errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		s.h.add(s.client, id, began, call{kind: reads}, answer{verdict: missing})
	}
	return t, err
}
