package memory

import (
	"bytes"
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
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
		kept := d.steps[step.Task]
		kept = slices.DeleteFunc(kept, func(s task.Step) bool { return s.Name == step.Name && s.Occurrence == step.Occurrence })
		at, _ := slices.BinarySearchFunc(kept, *step, stored.StepOrder)
		d.steps[step.Task] = slices.Insert(kept, at, cloneStep(step))
		statuses[i] = store.StatusOK
	}
	return statuses, nil
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
