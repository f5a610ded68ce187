package worldtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// doing is one step of a task's handler.
type doing struct {
	name       string
	occurrence int           // of the name
	group      int           // those of one group are done side by side, one group after the other
	takes      time.Duration // it does not look at its context
	fails      bool          // the first time
	sleeps     time.Duration // it is a durable sleep; 0 for none
	undone     bool          // it has a compensation
}

func (s *doing) String() string { return fmt.Sprintf("%s.%d", s.name, s.occurrence) }

// drawSteps draws which tasks do their work in steps.
func (p *plan) drawSteps(r *rand.Rand) {
	for i := range p.tasks {
		if one := &p.tasks[i]; r.IntN(8) == 0 && one.kind != remote {
			one.steps, one.rejects = drawDoings(r), r.IntN(3) == 0
		}
	}
}

func drawDoings(r *rand.Rand) []doing {
	same, all := r.IntN(4) == 0, make([]doing, 2+r.IntN(2))
	for i := range all {
		s := &all[i]
		*s = doing{name: "s" + strconv.Itoa(i), occurrence: 1, group: i, takes: between(r, 0, 40*time.Millisecond), fails: r.IntN(6) == 0, undone: r.IntN(2) == 0}
		if r.IntN(6) == 0 {
			s.takes = between(r, time.Second, 4*time.Second)
		}
		switch {
		case same:
			s.name, s.occurrence = "s", i+1
		case i > 0 && r.IntN(3) == 0:
			s.group = all[i-1].group
		}
		if r.IntN(6) == 0 {
			s.takes, s.sleeps, s.undone = 0, between(r, time.Second, 10*time.Second), false
		}
	}
	return all
}

// stepper does the steps of one run.
type stepper struct {
	*registry
	run  *engine.Run
	by   *ran
	left []doing

	rejects bool // see planned
}

func (r *registry) stepper(run *engine.Run, by *ran) *stepper {
	s := &stepper{registry: r, run: run, by: by}
	if of := r.w.deeds.of[run.Task.ID]; of != nil {
		s.left, s.rejects = of.steps, of.rejects
	}
	return s
}

// until does steps, one group after the other, until so many groups are left. It returns
// what the handler is to return.
func (s *stepper) until(ctx context.Context, groups int) error {
	for len(s.left) > 0 && s.left[len(s.left)-1].group-s.left[0].group >= groups {
		n := 1
		for n < len(s.left) && s.left[n].group == s.left[0].group {
			n++
		}
		errs := make([]error, n)
		var busy sync.WaitGroup
		for i := range n {
			busy.Go(func() { errs[i] = s.do(ctx, &s.left[i]) })
		}
		busy.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		s.left = s.left[n:]
	}
	return nil
}

// do does one step, or gets what an earlier run has stored of it.
func (s *stepper) do(ctx context.Context, what *doing) error {
	d, called := s.w.deeds, false
	done, err := s.run.Step(ctx, steps.Call{Name: what.name, Type: "text", Do: func(context.Context) (step task.Step, err error) {
		called = true
		number := d.does(s.run.Task, s.by, what)
		s.w.rest(what.takes)
		if what.fails && number == 1 && !s.w.calmed.Load() {
			return step, errPlanned
		}
		step.Result = strconv.AppendQuote(nil, fmt.Sprintf("%s by %d, call %d", what, s.by.number, number))
		if what.undone {
			step.Compensation = &task.Follow{Type: s.run.Task.Type, Payload: []byte("{}")}
		}
		if what.sleeps > 0 {
			step.Until = time.Now().Add(what.sleeps)
		}
		return step, nil
	}})
	if err != nil {
		d.failed(ctx, s.by, what, err)
		return err
	}
	d.did(s.run.Task, s.by, what, done, called)
	left := time.Until(done.Until)
	if left > 0 {
		return &snooze{left}
	}
	return nil
}

// Undo makes the task that undoes a step.
func (r *registry) Undo(t *task.Task, step *task.Step) (store.Insert, bool) {
	numbers := r.w.numbers[t.Queue]
	made := drafts.Undo(t, step, &store.Queue{Name: t.Queue, Numbers: numbers})
	made.Target = made.Type
	r.w.deeds.made(t, step, made)
	return store.Insert{Task: made}, true
}

// rejected says that a task can never succeed.
type rejected struct{}

func (*rejected) Error() string { return "rejected, as planned" }

func (*rejected) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionDead}
}

// asPlanned reports whether an error of a step is the handler's own or asks it to wait.
func asPlanned(err error) bool {
	var outcome engine.OutcomeError
	return errors.Is(err, errPlanned) || errors.As(err, &outcome)
}
