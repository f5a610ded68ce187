package historytest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/internal/historytest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// TestPlantedDefectsAreFound: a check is only believed if it finds defects.
func TestPlantedDefectsAreFound(t *testing.T) {
	for name, plant := range map[string]func(store.Backend) store.Backend{
		"a settle without a fence":      func(s store.Backend) store.Backend { return &unfenced{s} },
		"a settle that is not done":     func(s store.Backend) store.Backend { return &forgetful{Backend: s} },
		"an enqueue that is not done":   func(s store.Backend) store.Backend { return &hollow{Backend: s} },
		"a claim handed out twice":      func(s store.Backend) store.Backend { return &generous{Backend: s} },
		"a redrive that nobody lost":    func(s store.Backend) store.Backend { return &polite{s} },
		"a read of what was":            func(s store.Backend) store.Backend { return &old{Backend: s, was: map[task.ID]*task.Task{}} },
		"a cancel that no beat tells":   func(s store.Backend) store.Backend { return &deaf{s} },
		"a takeover that takes nothing": func(s store.Backend) store.Backend { return &lenient{s} },
	} {
		t.Run(name, func(t *testing.T) {
			honest := memory.New()
			mutant := plant(honest)
			found := 0
			for seed := range uint64(3) {
				if seed > 0 {
					honest = memory.New()
					mutant = plant(honest)
				}
				control := store.Backend(honest)
				if name == "a takeover that takes nothing" {
					control = mutant
				}
				found += len(historytest.Run(t, control, []store.Backend{mutant}, historytest.Options{Seed: seed}))
			}
			if found == 0 {
				t.Error("it was not found")
			}
		})
	}
}

// unfenced settles whatever claim the row has.
type unfenced struct{ store.Backend }

func (u *unfenced) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	for i, s := range settlements {
		if t, err := u.Get(ctx, s.Task.ID); err == nil && t.State == task.Running {
			same := *s.Task
			same.Claim = t.Claim
			settlements[i].Task = &same
		}
	}
	return u.Backend.Settle(ctx, settlements)
}

// forgetful answers every 40th settle without doing it.
type forgetful struct {
	store.Backend
	mu sync.Mutex
	n  int
}

func (f *forgetful) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	f.mu.Lock()
	f.n++
	skip := f.n%40 == 0
	f.mu.Unlock()
	if !skip {
		return f.Backend.Settle(ctx, settlements)
	}
	out := make([]store.Settled, len(settlements))
	for i, s := range settlements {
		out[i] = store.Settled{Status: store.StatusOK, State: map[task.Outcome]task.State{
			task.OutcomeSucceeded: task.Succeeded, task.OutcomeDead: task.Dead, task.OutcomeCanceled: task.Canceled,
		}[s.Outcome]}
		if out[i].State == "" {
			out[i].State = task.Pending
		}
	}
	return out, nil
}

// hollow acknowledges the first enqueue of some tasks without doing it.
type hollow struct {
	store.Backend
	mu sync.Mutex
	n  int
}

func (h *hollow) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	h.mu.Lock()
	h.n++
	skip := h.n == 3
	h.mu.Unlock()
	if !skip {
		return h.Backend.Enqueue(ctx, batches)
	}
	out := make([]store.BatchResult, len(batches))
	for i := range out {
		out[i].Items = make([]store.Inserted, len(batches[i].Items))
	}
	return out, nil
}

// generous hands the last claimed tasks out once more to who comes too late.
type generous struct {
	store.Backend
	mu   sync.Mutex
	last map[task.ID]*task.Task
}

func (g *generous) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	claimed, err := g.Backend.Claim(ctx, claim)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		g.last = map[task.ID]*task.Task{}
	}
	for _, t := range claimed.Tasks {
		g.last[t.ID] = t
	}
	kept := claimed.Refused[:0]
	for _, r := range claimed.Refused {
		if t := g.last[r.ID]; t != nil && r.Reason == store.ReasonGone {
			claimed.Tasks = append(claimed.Tasks, t)
			continue
		}
		kept = append(kept, r)
	}
	claimed.Refused = kept
	return claimed, err
}

// polite tells everybody that the redrive is theirs.
type polite struct{ store.Backend }

func (p *polite) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	_, _, err = p.Backend.Redrive(ctx, ids, options)
	for _, id := range ids {
		done = append(done, store.Redriven{ID: id})
	}
	return done, nil, err
}

// old answers a read by what it answered to the last one.
type old struct {
	store.Backend
	mu  sync.Mutex
	was map[task.ID]*task.Task
}

func (o *old) Get(ctx context.Context, id task.ID) (*task.Task, error) {
	t, err := o.Backend.Get(ctx, id)
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.was[id]
	o.was[id] = t
	if before != nil && err == nil {
		return before, nil
	}
	return t, err
}

// deaf never tells of a requested cancel.
type deaf struct{ store.Backend }

func (d *deaf) Beat(ctx context.Context, node string, report store.Report) ([]task.ID, error) {
	_, err := d.Backend.Beat(ctx, node, report)
	return nil, err
}

// lenient recovers under the old claim: it tells a new one that it does not
// write.
type lenient struct{ store.Backend }

func (l *lenient) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	all, err := l.Backend.Recover(ctx, lanes, limit)
	for i := range all {
		all[i].Claim = all[i].OldClaim
	}
	return all, err
}
