package worldtest

import (
	"context"
	"errors"
	"slices"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/storetest"
	"github.com/outlast-dev/outlast/task"
)

// The second half of a run: the trouble is over, and all is to end, still within the bubble of
// testing/synctest in which the first was.

// settleDown ends all trouble and waits until nothing is left to do.
func (w *world) settleDown() {
	w.calmed.Store(true)
	w.tell("calm")
	w.makeNoise(false)
	w.pause(false)
	for place, n := range w.nodes {
		n.link.mend()
		n.link.delay(0)
		w.mu.Lock()
		down := n.dead || n.gone
		w.mu.Unlock()
		if down {
			w.start(place, generation(n)+1)
		}
	}
	w.check()
	for end := time.Now().Add(calm); ; time.Sleep(time.Second) {
		w.redrive(context.Background(), w.nodes[0])
		left, err := w.memory.Count(context.Background(), store.Filter{Live: true}, 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			w.mu.Lock()
			w.fail("%d tasks have not ended %s after all trouble", left, calm)
			w.mu.Unlock()
			return
		}
	}
}

// prompt is how soon a task must have ended on a fleet without trouble.
const prompt = 4 * time.Second

// secondWave sends tasks to a fleet that has recovered: they must end soon, whichever
// node they come to.
func (w *world) secondWave() {
	time.Sleep(15 * time.Second)
	for i := range w.plan.wave {
		one := &w.plan.wave[i]
		within := prompt
		if one.kind == remote {
			within = 15 * prompt // a worker that asks another node each time is not where its task is left for it
		}
		if sent := time.Now(); w.handIn(one) && w.ends(one, within) && one.kind != remote {
			w.slowest = max(w.slowest, time.Since(sent))
		}
	}
}

// kept is how long after all trouble some node still has lanes that others did not take.
const kept = 70 * time.Second

// evenly checks that the nodes of a fleet that has recovered share the lanes.
func (w *world) evenly() {
	if w.plan.seed%4 > 0 {
		return
	}
	time.Sleep(kept)
	topology, err := w.memory.Topology(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	owned := map[string]int{}
	for _, l := range topology.Lanes {
		if l.Queue == "wide" {
			owned[l.Owner]++
		}
	}
	lanes := len(w.numbers["wide"])
	for _, n := range w.nodes {
		if count := owned[n.engine.Node()]; count < lanes/len(w.nodes) || count > (lanes+len(w.nodes)-1)/len(w.nodes) {
			w.wrongly("%s has %d of %d lanes among %d nodes", n.name, count, lanes, len(w.nodes))
		}
	}
}

// narrow fills the queue with a limit, on a fleet that has recovered: the nodes share it.
func (w *world) narrow() {
	for i := range w.plan.rush {
		w.handIn(&w.plan.rush[i])
	}
	for i := range w.plan.rush {
		w.ends(&w.plan.rush[i], 15*prompt)
	}
}

// held pauses a queue: nothing starts in it until that has ended.
func (w *world) held() {
	w.pause(true)
	time.Sleep(settleIn + time.Second)
	for i := range w.plan.held {
		w.handIn(&w.plan.held[i])
	}
	time.Sleep(2 * time.Second)
	w.pause(false)
	for i := range w.plan.held {
		w.ends(&w.plan.held[i], prompt)
	}
}

// canceled cancels tasks that run, and tells no node: they must hear of it.
func (w *world) canceled() {
	for i := range w.plan.long {
		w.handIn(&w.plan.long[i])
	}
	time.Sleep(2 * time.Second)
	for i := range w.plan.long {
		if _, err := w.truth.Cancel(context.Background(), w.plan.long[i].id); err != nil {
			w.wrongly("%s cannot be canceled: %v", w.names[w.plan.long[i].id], err)
		}
	}
	time.Sleep(hearing)
	for i := range w.plan.long {
		if t, err := w.memory.Get(context.Background(), w.plan.long[i].id); err != nil || t.State != task.Canceled {
			w.wrongly("%s is not canceled %s after that was asked for: %v %v", w.names[w.plan.long[i].id], hearing, t.State, err)
		}
	}
}

// handIn sends a task to a fleet without trouble.
func (w *world) handIn(one *planned) bool {
	n := w.nodes[one.node]
	w.sent[one.queue].Sending(one.id)
	if _, err := n.engine.Enqueue(context.Background(), []store.Insert{w.insert(one)}); err != nil {
		w.wrongly("%s is refused by %s after all trouble: %v", w.names[one.id], n.name, err)
		return false
	}
	w.sent[one.queue].Acknowledged(one.id)
	return true
}

// ends waits until a task has succeeded, but not long.
func (w *world) ends(one *planned, within time.Duration) bool {
	for end := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		t, err := w.memory.Get(context.Background(), one.id)
		switch {
		case err != nil:
			w.wrongly("%s is not there: %v", w.names[one.id], err)
			return false
		case t.State == task.Succeeded:
			return true
		case time.Now().After(end):
			w.wrongly("%s is %s %s after it was to end on a fleet without trouble", w.names[one.id], t.State, within)
			return false
		}
	}
}

// wrongly is fail for those who have no lock.
func (w *world) wrongly(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail(format, values...)
}

// check looks at the store while nothing runs.
func (w *world) check() {
	synctest.Wait()
	storetest.CheckInvariants(w.t, w.memory)
}

// finish checks what is left, and ends all nodes.
func (w *world) finish() {
	w.secondWave()
	w.evenly()
	w.narrow()
	w.held()
	w.canceled()
	w.over.Store(true)
	time.Sleep(2 * time.Second)
	synctest.Wait()
	ctx := context.Background()
	for name, sent := range w.sent {
		_, wrong, err := sent.Check(ctx, w.memory, name, false)
		if err != nil {
			w.t.Fatal(err)
		}
		w.mu.Lock()
		for _, one := range wrong {
			w.fail("%s", one)
		}
		w.mu.Unlock()
	}
	for _, one := range slices.Concat(w.plan.tasks, w.plan.wave, w.plan.rush, w.plan.held, w.plan.long) {
		w.read(ctx, one.id)
	}
	for _, id := range w.deeds.finish(w.memory.Get) {
		w.read(ctx, id)
	}
	w.checkGroups(ctx)
	for _, n := range w.nodes {
		w.idle(n)
	}
	for _, n := range w.nodes {
		if err := errors.Join(n.engine.Stop(ctx), n.groups.Stop(ctx)); err != nil {
			w.mu.Lock()
			w.fail("%s cannot stop: %v", n.name, err)
			w.mu.Unlock()
		}
	}
	w.busy.Wait()
	w.check()
}

// idle checks that nothing is left in the memory of a node.
func (w *world) idle(n *process) {
	stats := n.engine.Stats()
	w.mu.Lock()
	defer w.mu.Unlock()
	if stats.Lost {
		w.fail("%s is lost after all trouble", n.name)
	}
	if stats.Running != 0 {
		w.fail("%s holds %d places, and nothing runs", n.name, stats.Running)
	}
	for name, q := range stats.Queues {
		if q.Running != 0 {
			w.fail("%s counts %d running tasks in %s, and nothing runs", n.name, q.Running, name)
		}
	}
}

// read checks one task, its history and what its handler saw.
func (w *world) read(ctx context.Context, id task.ID) {
	t, err := w.truth.Get(ctx, id)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return // the account of the queue says whether it may
	}
	if err != nil {
		w.t.Fatal(err)
	}
	attempts, err := w.memory.Attempts(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	name, spent, crashes := w.names[id], 0, 0
	for _, a := range attempts {
		r := w.runs[claim{id, a.Claim}]
		switch a.Outcome {
		case task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeDead, task.OutcomeCanceled:
			if spent++; r == nil && a.Outcome != task.OutcomeCanceled { // which what was handed back becomes
				w.fail("the history of %s has a run that %s, and none has been", name, a.Outcome)
			}
		case task.OutcomeCrashed:
			crashes++
			n := w.everyone[firstName(a.Node)]
			switch {
			case task.Leased(a.Node):
				if r != nil && r.accepted {
					w.fail("the history of %s has a crash of a run whose end was accepted", name)
				}
			case n != nil && !n.trouble && !n.noise:
				w.fail("the history of %s has a crash of %s, which has had no trouble", name, n.name)
			}
		}
	}
	if t.Spec.RedrivenAt.IsZero() && (t.Attempt != spent || t.Crashes > crashes) {
		w.fail("%s is %s, attempt %d with %d crashes; its history has %d and %d", name, t.State, t.Attempt, t.Crashes, spent, crashes)
	}
}

func (w *world) until(at time.Duration) { time.Sleep(time.Until(w.began.Add(at))) }

// rest lets virtual time pass.
func (w *world) rest(d time.Duration) { time.Sleep(d) }
