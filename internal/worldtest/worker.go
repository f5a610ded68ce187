package worldtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// lease is what remote workers ask for.
const lease = 2 * time.Second

// remote is the type of the tasks that only remote workers run.
const remote = "r"

// work is a remote worker: it polls any node, runs what it gets, and tells any node how
// that ended.
func (w *world) work(number int) {
	name, r := fmt.Sprint("w", number), rand.New(rand.NewPCG(w.plan.seed, uint64(number)))
	for !w.over.Load() {
		n := w.some(r)
		if n == nil {
			w.rest(100 * time.Millisecond)
			continue
		}
		leased, err := n.engine.Poll(context.Background(), engine.Poll{
			Worker: name, Queues: []string{"wide"}, Types: []string{remote}, Most: 1 + r.IntN(3), Wait: time.Second, Lease: lease,
		})
		if err != nil || !n.link.works() && w.isDead(n) {
			w.rest(20 * time.Millisecond)
			continue // nobody has heard the answer
		}
		for i := range leased {
			seed := r.Uint64()
			w.busy.Go(func() { w.runLeased(n, &leased[i], rand.New(rand.NewPCG(seed, 1))) })
		}
		if len(leased) == 0 && n.engine.Stats().Lost {
			w.rest(50 * time.Millisecond)
		}
	}
}

// some is a node that lives, as far as one can tell from outside.
func (w *world) some(r *rand.Rand) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.nodes[r.IntN(len(w.nodes))]
	if n == nil || !n.up || n.dead || n.gone {
		return nil
	}
	return n
}

// runLeased runs one task of a worker.
func (w *world) runLeased(n *process, given *engine.Leased, r *rand.Rand) {
	one, before := w.beginLeased(n, given)
	does := turn{does: "ok", takes: 5 * time.Millisecond}
	if turns := w.turns[given.Task.ID]; before < len(turns) && !w.calmed.Load() {
		does = turns[before]
	}
	for left := does.takes; left > 0; left -= lease / 3 {
		w.rest(min(left, lease/3))
		if !does.deaf { // a worker that is deaf lets its lease end
			w.extend(one, r)
		}
	}
	if w.calmed.Load() {
		does.does = "ok"
	}
	ending := engine.Ending{ID: one.id, Claim: one.number, Result: []byte("{}")}
	if does.does != "ok" {
		ending.Result, ending.Err = nil, errPlanned
	}
	w.end(one, ending.Err == nil)
	for range 8 {
		if to := w.some(r); to != nil {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			results, err := to.engine.SettleLeased(ctx, []engine.Ending{ending})
			cancel()
			if err == nil && to.link.works() {
				w.mu.Lock()
				one.accepted = results[0].Status == store.StatusOK
				w.note("settled  %s by its worker at %s: %s", w.names[one.id], to.name, results[0].Status)
				w.mu.Unlock()
				return
			}
		}
		w.rest(200 * time.Millisecond)
	}
}

// extend lets a lease end later.
func (w *world) extend(one *ran, r *rand.Rand) {
	to := w.some(r)
	if to == nil {
		return
	}
	asked := w.storeTime()
	results, err := to.engine.Extend(context.Background(), []engine.Extension{{ID: one.id, Claim: one.number}}, lease)
	if err == nil && to.link.works() && results[0].Status == store.StatusOK {
		w.mu.Lock()
		defer w.mu.Unlock()
		one.until = asked.Add(lease)
	}
}

// storeTime is what the store's clock says.
func (w *world) storeTime() time.Time { return time.Now().Add(time.Duration(w.shift.Load())) }

// beginLeased notes that a worker begins, and checks that it may.
func (w *world) beginLeased(n *process, given *engine.Leased) (*ran, int) {
	t := given.Task
	one := &ran{claim: claim{t.ID, t.Claim}, node: n, key: t.Key, queue: t.Queue, ctx: context.Background(), began: time.Now(), until: given.Until, limit: given.AttemptEnds, clock: w.storeTime}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, name := w.times[t.ID], w.names[t.ID]
	w.note("lease    %s to %s by %s attempt %d crashes %d", name, t.Node, n.name, t.Attempt, t.Crashes)
	if w.runs[one.claim] != nil {
		w.fail("%s is leased twice under one claim", name)
	}
	if _, worker, _ := task.Runner(t.Node); worker == "" {
		w.fail("%s is leased, and the store says that %s runs it", name, t.Node)
	}
	w.alone(one, t)
	w.inOrder(t, before)
	w.runs[one.claim] = one
	w.live[t.ID] = append(w.live[t.ID], one)
	w.times[t.ID]++
	return one, before
}
