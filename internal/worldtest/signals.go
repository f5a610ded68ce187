package worldtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// awaited is a signal for which a task's handler waits.
type awaited struct {
	name  string
	takes time.Duration // at most; what takes longer than the world does is always signaled
	after time.Duration // it is sent, counted from when its task is
	late  time.Duration // or, if it is not 0, counted from when the wait is over
	soon  bool          // or as soon as the wait is stored
	busy  time.Duration // is what the handler does before
	tells bool          // the node by which it is sent is told of it
}

// drawSignals draws which tasks wait for signals.
func (p *plan) drawSignals(r *rand.Rand) {
	for i := range p.tasks {
		one := &p.tasks[i]
		if one.kind == remote || len(one.steps) > 0 || r.IntN(8) > 0 {
			continue
		}
		for n := range 1 + r.IntN(2) {
			a := awaited{name: "signal-" + strconv.Itoa(n), takes: time.Hour, after: between(r, 0, 6*time.Second), busy: between(r, 0, 300*time.Millisecond), tells: r.IntN(2) == 0}
			if r.IntN(2) == 0 {
				a.takes = between(r, 300*time.Millisecond, 6*time.Second)
			}
			if r.IntN(2) == 0 && a.takes < time.Hour {
				a.late = between(r, -5*time.Millisecond, 300*time.Millisecond)
			}
			a.soon = a.late == 0 && r.IntN(2) == 0
			one.awaits = append(one.awaits, a)
		}
	}
}

// waits waits for the signals of a task, one after the other.
func (r *registry) waits(ctx context.Context, run *engine.Run, by *ran) error {
	of := r.w.deeds.of[run.Task.ID]
	if of == nil {
		return nil
	}
	for i := range of.awaits {
		what := &of.awaits[i]
		if i > 0 {
			r.w.rest(what.busy) // what the run knows of the next signal is old then
		}
		got, err := run.Await(ctx, what.name, what.takes)
		switch {
		case err == nil, errors.Is(err, steps.ErrTimeout):
			r.w.deeds.heard(run.Task, by, what, got)
		default:
			r.w.deeds.failed(ctx, by, &doing{name: what.name}, err)
			return err
		}
	}
	return nil
}

// signal sends a signal until the task has it, or will never take it.
func (w *world) signal(one *planned, what *awaited) {
	w.mu.Lock()
	name := w.names[one.id] // there are more with each death
	w.mu.Unlock()
	payload := []byte(strconv.Quote(fmt.Sprint(name, " ", what.name)))
	switch {
	case what.soon:
		w.untilOver(one, what)
	case what.late != 0:
		w.rest(w.untilOver(one, what) + what.late)
	default:
		w.rest(what.after)
	}
	for ; !w.over.Load(); w.rest(200 * time.Millisecond) {
		done, err := (&witness{w.truth, w.deeds}).Signal(context.Background(), task.Step{Task: one.id, Name: what.name, Type: task.StepSignal, Result: payload})
		if err != nil {
			continue // it is not there yet, or dead
		}
		w.tell("signal   %s of %s: %s %t", what.name, name, done.Step.Type, done.Woken)
		w.mu.Lock()
		n := w.nodes[0]
		w.mu.Unlock()
		if done.Woken && what.tells && n.link.works() {
			n.engine.Steered([]*task.Task{done.Task})
		}
		if done.Step.Type == task.StepSignal {
			return
		}
	}
}

// untilOver is how long a wait lasts from now on, once it is stored.
func (w *world) untilOver(one *planned, what *awaited) time.Duration {
	for ; !w.over.Load(); w.rest(10 * time.Millisecond) {
		w.deeds.mu.Lock()
		until := w.deeds.untils[deed{id: one.id, name: what.name}]
		w.deeds.mu.Unlock()
		if !until.IsZero() {
			return time.Until(until)
		}
	}
	return 0
}

// Signal lets the book see what ends a wait.
func (w *witness) Signal(ctx context.Context, step task.Step, audit ...store.Audit) (store.Signaled, error) {
	w.deeds.mu.Lock()
	defer w.deeds.mu.Unlock()
	done, err := w.Backend.Signal(ctx, step, audit...)
	if err == nil && done.Status == store.StatusOK {
		w.deeds.endedWait(&step, &done)
	}
	return done, err
}

// endedWait checks that what ended a wait first stands. The book's lock must be held.
func (d *deeds) endedWait(given *task.Step, done *store.Signaled) {
	at := deed{id: given.Task, name: given.Name}
	before := d.over[at]
	switch {
	case !done.Added && (before == nil || before.Type != done.Step.Type || string(before.Result) != string(done.Step.Result)):
		d.fail("%s is said to have %s %s, and has %+v", d.names[at.id], done.Step.Type, at.name, before)
	case done.Added && before != nil && before.Type == task.StepSignal:
		d.fail("%s loses signal %s to a %s", d.names[at.id], at.name, done.Step.Type)
	}
	if done.Added {
		step := done.Step
		d.over[at] = &step
	}
}

// heard checks what a run was told of a signal: got is nil where none came in time.
func (d *deeds) heard(t *task.Task, by *ran, what *awaited, got *task.Step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if by.node.dead {
		return
	}
	d.note("heard    %s of %s on %s: %t", what.name, d.names[t.ID], by.node.name, got != nil)
	kind := task.StepTimeout
	if got != nil {
		kind = task.StepSignal
	}
	if stands := d.over[deed{id: t.ID, name: what.name}]; stands == nil || stands.Type != kind {
		d.fail("%s is told of a %s for %s on %s, and the store has %+v", d.names[t.ID], kind, what.name, by.node.name, stands)
	}
}
