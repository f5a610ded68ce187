package memory

import (
	"bytes"
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// AddSteps implements [store.Steps].
func (s *Store) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	statuses := make([]store.Status, len(steps))
	for i := range steps {
		step := &steps[i]
		r := d.live[step.Task]
		if r == nil || r.State != task.Running || r.Claim != step.Claim {
			statuses[i] = store.StatusStale
			continue
		}
		keepStep(d.steps, step)
		statuses[i] = store.StatusOK
	}
	return statuses, nil
}

// keepStep keeps a step, in place of one of its task with its name and occurrence.
func keepStep(steps map[task.ID][]task.Step, step *task.Step) {
	kept := steps[step.Task]
	kept = slices.DeleteFunc(kept, func(s task.Step) bool { return s.Name == step.Name && s.Occurrence == step.Occurrence })
	at, _ := slices.BinarySearchFunc(kept, *step, stored.StepOrder)
	steps[step.Task] = slices.Insert(kept, at, cloneStep(step))
}

// Signal implements [store.Steps].
func (s *Store) Signal(ctx context.Context, step task.Step, audit ...store.Audit) (store.Signaled, error) {
	if err := signals.Check(&step); err != nil {
		return store.Signaled{}, err
	}
	now, err := s.begin(ctx)
	if err != nil {
		return store.Signaled{}, err
	}
	d := s.data
	defer d.mu.Unlock()
	t := d.find(step.Task)
	if t == nil {
		return store.Signaled{}, task.NotFound("task", step.Task.String())
	}
	done, err := signals.Decide(t, d.steps[step.Task], &step, now)
	if err != nil || !done.Added {
		done.Step = cloneStep(&done.Step)
		return done, err
	}
	if err := d.log(audit, now); err != nil {
		return store.Signaled{}, err
	}
	keepStep(d.steps, &done.Step)
	if done.Woken {
		if err := moveRow(now)(d, d.live[step.Task], now); err != nil {
			return store.Signaled{}, err
		}
		s.commit(step.Task.Lane())
	}
	return done, nil
}

// StepsOf implements [store.Steps].
func (s *Store) StepsOf(ctx context.Context, ids []task.ID) (steps []task.Step, err error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	ids = slices.Clone(ids)
	slices.SortFunc(ids, task.ID.Compare)
	for _, id := range slices.Compact(ids) {
		for i := range s.data.steps[id] {
			steps = append(steps, cloneStep(&s.data.steps[id][i]))
		}
	}
	return steps, nil
}

func cloneStep(step *task.Step) task.Step {
	c := *step
	c.Result = bytes.Clone(step.Result)
	c.Compensation = cloneFollow(step.Compensation)
	return c
}
