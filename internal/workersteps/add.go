// Package workersteps keeps the steps that remote workers have done, as they say.
package workersteps

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostFound is how many tasks are read at once.
const mostFound = 500

// Add keeps steps, each fenced by the claim of its task: of tasks that any node has leased.
// The errors are why those are not kept that are not, nil for the others, in the same order. After an error of
// the call the outcome of all is unknown, and it may be repeated as it stands.
func Add(ctx context.Context, backend store.Backend, given []task.Step) ([]error, error) {
	tasks, stored, err := known(ctx, backend, given)
	if err != nil {
		return nil, err
	}
	refused := make([]error, len(given))
	logs := map[task.ID]*steps.Log{}
	var add []task.Step
	var places []int
	for i := range given {
		s := given[i]
		if refused[i] = place(logs, tasks[s.Task], stored[s.Task], &s); refused[i] == nil {
			add, places = append(add, s), append(places, i)
		}
	}
	if len(add) == 0 {
		return refused, nil
	}
	statuses, err := backend.AddSteps(ctx, add)
	if err != nil {
		return nil, err
	}
	for n, i := range places {
		if statuses[n] != store.StatusOK {
			refused[i] = lost(&add[n])
		}
	}
	return refused, nil
}

// place completes a step by what is known of its task, or says why it is not kept. It notes
// it, so that later ones are counted with it.
func place(logs map[task.ID]*steps.Log, t *task.Task, stored []task.Step, s *task.Step) (err error) {
	switch {
	case t == nil:
		return task.NotFound("task", s.Task.String())
	case t.State != task.Running || t.Claim != s.Claim || !task.Leased(t.Node):
		return lost(s)
	}
	if logs[t.ID] == nil {
		if logs[t.ID], err = steps.New(t, stored); err != nil {
			return err
		}
	}
	return logs[t.ID].Given(s)
}

// lost refuses a step of a task that is not its worker's any more.
func lost(s *task.Step) error {
	return &task.Error{
		Code: task.CodeStaleClaim, Message: fmt.Sprintf("the task does not run on a remote worker under claim %d, so that step %s was not kept", s.Claim, task.Quote(s.Name)),
		Hint: "stop: another run does the step",
	}
}

// known reads the tasks of steps, and what is stored of those. The tasks come first: a step
// that was added since is one of the same claim.
func known(ctx context.Context, backend store.Backend, given []task.Step) (tasks map[task.ID]*task.Task, stored map[task.ID][]task.Step, err error) {
	tasks, stored = map[task.ID]*task.Task{}, map[task.ID][]task.Step{}
	var ids []task.ID
	for i := range given {
		if _, there := tasks[given[i].Task]; !there {
			tasks[given[i].Task] = nil
			ids = append(ids, given[i].Task)
		}
	}
	for rest := ids; len(rest) > 0; {
		some := rest[:min(len(rest), mostFound)]
		rest = rest[len(some):]
		found, _, err := backend.Find(ctx, store.Filter{IDs: some}, store.Page{Limit: mostFound, Bare: true})
		if err != nil {
			return nil, nil, err
		}
		for _, t := range found {
			tasks[t.ID] = t
		}
	}
	all, err := backend.StepsOf(ctx, ids)
	for i := range all {
		stored[all[i].Task] = append(stored[all[i].Task], all[i])
	}
	return tasks, stored, err
}
