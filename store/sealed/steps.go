package sealed

import (
	"context"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/task"
)

// stepPart is what a sealed value of a step is bound to: its task, its place and name, and
// for what may be called whatever it calls.
func stepPart(step *task.Step, name string) part {
	p := part{of: step.Task[:], name: name, to: fmt.Appendf(nil, "%d %d %q", step.Occurrence, step.Until.UnixMicro(), step.Name)}
	if step.EndsWait() {
		p.to = fmt.Appendf(p.to, " %q", step.Type) // that nobody came must not become an approval
	}
	if undo := step.Compensation; undo != nil {
		p.to = fmt.Appendf(p.to, " %q %q %q", undo.Type, undo.Queue, undo.Policy)
	}
	return p
}

// AddSteps implements [store.Steps].
func (s *Store) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	for i := range steps {
		if undo := steps[i].Compensation; store.IsSealed(steps[i].Result) || undo != nil && store.IsSealed(undo.Payload) {
			return nil, forged("result")
		}
	}
	if k := s.ring.current; k != nil {
		steps = slices.Clone(steps)
		for i := range steps {
			k.sealStep(&steps[i])
		}
	}
	return s.Backend.AddSteps(ctx, steps)
}

// sealStep seals a result also where there is none: that the step was done is what counts.
func (k *key) sealStep(step *task.Step) {
	step.Result = k.seal(stepPart(step, "step"), step.Result)
	if undo := step.Compensation; undo != nil {
		sealed := *undo
		sealed.Payload = k.seal(stepPart(step, "compensation"), undo.Payload)
		step.Compensation = &sealed
	}
}

// StepsOf implements [store.Steps]. A step that does not open says so in Unreadable.
func (s *Store) StepsOf(ctx context.Context, ids []task.ID) ([]task.Step, error) {
	steps, err := s.Backend.StepsOf(ctx, ids)
	for i := range steps {
		s.ring.show(&steps[i])
	}
	return steps, err
}

// show opens a step, or says in it why it does not open.
func (r *ring) show(step *task.Step) {
	if err := r.openStep(step); err != nil && step.Unreadable == "" {
		step.Unreadable = "step " + task.Quote(step.Name) + " cannot be read: " + err.Error()
	}
}

// Signal implements [store.Steps].
func (s *Store) Signal(ctx context.Context, step task.Step, audit ...store.Audit) (store.Signaled, error) {
	if store.IsSealed(step.Result) {
		return store.Signaled{}, forged("payload")
	}
	if err := signals.Check(&step); err != nil {
		return store.Signaled{}, err // what is sealed may be longer
	}
	if k := s.ring.current; k != nil {
		k.sealStep(&step)
	}
	done, err := s.Backend.Signal(ctx, step, audit...)
	if err == nil && done.Status == store.StatusOK {
		s.ring.show(&done.Step)
	}
	return done, err
}

func (r *ring) openStep(step *task.Step) error {
	if undo := step.Compensation; r.strict && (!store.IsSealed(step.Result) || undo != nil && !store.IsSealed(undo.Payload)) {
		return &undecryptable{reason: "it is not sealed, and this process goes only by what is"}
	}
	result, err := r.open(stepPart(step, "step"), step.Result)
	if err != nil {
		return err
	}
	if len(result) == 0 {
		result = nil
	}
	if undo := step.Compensation; undo != nil {
		opened := *undo
		if opened.Payload, err = r.open(stepPart(step, "compensation"), undo.Payload); err != nil {
			return err
		}
		step.Compensation = &opened
	}
	step.Result = result
	return nil
}
