package worldtest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// deeds are the pages of the book about steps: what the store has of them, what runs were
// told, and what undoes them. They are guarded by the book's lock.
type deeds struct {
	*book
	of     map[task.ID]*planned
	calls  map[deed]int // of what a step does
	kept   map[deed][]keptStep
	over   map[deed]*task.Step // of waits for signals, without an occurrence
	untils map[deed]time.Time  // when the last of these waits is over
	latest map[task.ID]int64   // claim of which a run has begun
	undos  map[task.ID]*undo   // by their ids
	undone map[task.ID][]*undo
	deaths map[claim]bool
	insert func(*task.Task) // tells that a task was enqueued with the death of another
}

// deed names a step of a task.
type deed struct {
	id         task.ID
	name       string
	occurrence int
}

// keptStep is a step that the store has accepted under a claim.
type keptStep struct {
	claim  int64
	text   string
	undone bool // it has a compensation
}

// undo is a task that undoes a step after one death.
type undo struct {
	deed
	death claim
	row   *task.Task
	due   bool // the death is on disk
	ended bool // its handler has returned well
}

func newDeeds(b *book, insert func(*task.Task)) *deeds {
	return &deeds{
		book: b, insert: insert, of: map[task.ID]*planned{}, calls: map[deed]int{}, kept: map[deed][]keptStep{}, over: map[deed]*task.Step{}, untils: map[deed]time.Time{}, latest: map[task.ID]int64{},
		undos: map[task.ID]*undo{}, undone: map[task.ID][]*undo{}, deaths: map[claim]bool{},
	}
}

func textOf(s *task.Step) string { return fmt.Sprint(string(s.Result), " ", s.Until.UnixMicro()) }

// stored notes what the store has said of steps. The book's lock must be held, from
// before the store was asked.
func (d *deeds) stored(given []task.Step, statuses []store.Status) {
	for i := range given {
		s := &given[i]
		if statuses[i] != store.StatusOK {
			continue
		}
		at, by := deed{s.Task, s.Name, s.Occurrence}, claim{s.Task, s.Claim}
		if s.Type == task.StepAwait {
			d.untils[deed{id: s.Task, name: s.Name}] = s.Until
		}
		if r := d.runs[by]; d.latest[s.Task] > s.Claim || r != nil && r.lapsed {
			d.fail("%s has step %s.%d stored under a claim that was lost", d.names[s.Task], s.Name, s.Occurrence)
		}
		d.kept[at] = slices.DeleteFunc(d.kept[at], func(k keptStep) bool { return k.claim == s.Claim })
		d.kept[at] = append(d.kept[at], keptStep{s.Claim, textOf(s), s.Compensation != nil})
	}
}

// known is what a run of a task finds of a step from earlier ones, nil for nothing. The
// book's lock must be held.
func (d *deeds) known(t *task.Task, at deed) (found *keptStep) {
	for i := range d.kept[at] {
		k := &d.kept[at][i]
		if k.claim < t.Claim && (!k.undone || k.claim > t.Spec.Undone) && (found == nil || found.claim < k.claim) {
			found = k
		}
	}
	return found
}

// does notes that a run does a step, and checks that it may. It returns how often that was
// done by now.
func (d *deeds) does(t *task.Task, by *ran, what *doing) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := deed{t.ID, what.name, what.occurrence}
	d.calls[at]++
	if by.node.dead {
		return d.calls[at]
	}
	name := d.names[t.ID]
	d.note("step     %s of %s on %s", what, name, by.node.name)
	if d.known(t, at) != nil {
		d.fail("%s does step %s again on %s, and an earlier run has stored it", name, what, by.node.name)
	}
	for _, u := range d.undone[t.ID] {
		if u.due && !u.ended && u.death.number <= t.Spec.Undone {
			d.fail("%s does step %s on %s before step %s.%d of its last life is undone", name, what, by.node.name, u.name, u.occurrence)
		}
	}
	return d.calls[at]
}

// did checks what a run was told of a step.
func (d *deeds) did(t *task.Task, by *ran, what *doing, done *task.Step, called bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, name := deed{t.ID, what.name, what.occurrence}, d.names[t.ID]
	if by.node.dead {
		return
	}
	d.note("stepped  %s of %s on %s: %s", what, name, by.node.name, done.Result)
	if !called {
		if found := d.known(t, at); found == nil || found.text != textOf(done) {
			d.fail("%s gets %s for step %s on %s, stored is %+v", name, textOf(done), what, by.node.name, found)
		}
		return
	}
	if !slices.ContainsFunc(d.kept[at], func(k keptStep) bool { return k.claim == t.Claim && k.text == textOf(done) }) {
		d.fail("%s is told on %s that step %s is done, and the store has not taken it", name, by.node.name, what)
	}
}

// failed checks that a step that failed had a reason.
func (d *deeds) failed(ctx context.Context, by *ran, what *doing, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := by.node
	d.note("no step  %s of %s on %s: %v", what, d.names[by.id], n.name, err)
	if !asPlanned(err) && ctx.Err() == nil && !n.dead && !n.trouble && !n.noise && !n.stopping {
		d.fail("%s cannot do step %s on %s, which has had no trouble: %v", d.names[by.id], what, n.name, err)
	}
}

// made notes what would undo a step if its task died.
func (d *deeds) made(t *task.Task, s *task.Step, row *task.Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.undos[row.ID] != nil {
		return
	}
	u := &undo{deed: deed{t.ID, s.Name, s.Occurrence}, death: claim{t.ID, t.Claim}, row: row}
	d.undos[row.ID], d.undone[t.ID] = u, append(d.undone[t.ID], u)
	d.names[row.ID] = fmt.Sprintf("%s-undoes-%s.%d-after-%d", d.names[t.ID], s.Name, s.Occurrence, t.Claim)
}

// died checks that with each death that the store has taken, all that was done is undone, in
// reverse order.
func (d *deeds) died(settlements []store.Settlement, results []store.Settled) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range settlements {
		s := &settlements[i]
		by := claim{s.Task.ID, s.Task.Claim}
		if results[i].Status != store.StatusOK || results[i].State != task.Dead || d.deaths[by] {
			continue
		}
		d.deaths[by] = true
		want, before := d.toUndo(s.Task), -1
		for _, follow := range s.Follow {
			d.insert(follow.Task)
			u := d.undos[follow.Task.ID]
			if u == nil {
				d.fail("%s dies with a task that undoes nothing", d.names[by.id])
				continue
			}
			u.due = true
			group, wanted := want[u.deed]
			if delete(want, u.deed); !wanted || u.death != by {
				d.fail("%s dies, and undoes step %s.%d, which is not to be undone", d.names[by.id], u.name, u.occurrence)
			}
			if before >= 0 && group > before {
				d.fail("%s dies, and undoes step %s.%d after one that was done before it", d.names[by.id], u.name, u.occurrence)
			}
			before = group
		}
		for left := range want {
			d.fail("%s dies, and step %s.%d is not undone", d.names[by.id], left.name, left.occurrence)
		}
	}
}

// toUndo are the steps that are to be undone when a task dies, with the places of their
// groups. The book's lock must be held.
func (d *deeds) toUndo(t *task.Task) map[deed]int {
	want := map[deed]int{}
	if of := d.of[t.ID]; of != nil {
		for _, s := range of.steps {
			at := deed{t.ID, s.name, s.occurrence}
			if slices.ContainsFunc(d.kept[at], func(k keptStep) bool { return k.undone && k.claim > t.Spec.Undone && k.claim <= t.Claim }) {
				want[at] = s.group
			}
		}
	}
	return want
}

// begins notes that a run begins. If it undoes a step, those after it must be undone.
func (d *deeds) begins(by *ran) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if by.node.dead {
		return
	}
	d.latest[by.id] = max(d.latest[by.id], by.number)
	u := d.undos[by.id]
	if u == nil {
		return
	}
	for _, other := range d.undone[u.id] {
		if other.death == u.death && !other.ended && d.groupOf(other.deed) > d.groupOf(u.deed) {
			d.fail("%s begins before step %s.%d is undone", d.names[by.id], other.name, other.occurrence)
		}
	}
}

func (d *deeds) groupOf(at deed) int {
	for _, s := range d.of[at.id].steps {
		if s.name == at.name && s.occurrence == at.occurrence {
			return s.group
		}
	}
	return -1
}

// ends notes that a run that may undo a step has ended well.
func (d *deeds) ends(by *ran) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.undos[by.id]; u != nil && !by.node.dead {
		u.ended = true
	}
}

// finish checks that what was to be undone was undone, and returns the tasks that did so.
func (d *deeds) finish(get func(context.Context, task.ID) (*task.Task, error)) (ids []task.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, u := range d.undos {
		if !u.due {
			continue
		}
		ids = append(ids, id)
		if t, err := get(context.Background(), id); err != nil || t.State != task.Succeeded {
			d.fail("%s has not ended well: %v", d.names[id], err)
		}
	}
	return ids
}
