package steps

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Pause is how long a task waits for the next look at what undoes its steps.
const Pause = 5 * time.Second

// Undoing says that a step waits until what undoes it after an earlier death has been done:
// what is done again must not be undone by that. A dead one waits for somebody who redrives or
// purges it.
type Undoing struct {
	By    task.ID
	State task.State
}

func (u *Undoing) Error() string {
	return "what the task did before it died is to be undone first: by task " + u.By.String() + ", which is " + string(u.State)
}

// ToUndo are those of the steps of a task that have to be undone if it dies now, the last
// one first. It fails if one of them cannot be read.
func ToUndo(t *task.Task, stored []task.Step) (undo []task.Step, err error) {
	for i := range stored {
		if stored[i].Unreadable != "" {
			return nil, &Unreadable{stored[i].Unreadable}
		}
		if stored[i].Compensates(t) {
			undo = append(undo, stored[i])
		}
	}
	slices.SortStableFunc(undo, func(a, b task.Step) int { return cmp.Compare(b.Seq, a.Seq) })
	return undo, nil
}

// waits fails with an [Undoing] while something undoes steps of a task that was sent back,
// repeated until it is known: a store without an answer is no failure of the task.
func (k *Keeper) waits(t *task.Task, stored []task.Step) error {
	var ids []task.ID
	for i := range stored {
		if step := &stored[i]; step.Compensation != nil && !step.Compensates(t) {
			if insert, ok := k.config.Undo(t, step); ok {
				ids = append(ids, insert.Task.ID)
			}
		}
	}
	for some := range slices.Chunk(ids, mostFound) {
		var found []*task.Task
		known := k.untilKnown(len(some), func(ctx context.Context) (err error) {
			found, _, err = k.config.Find(ctx, store.Filter{IDs: some}, store.Page{Limit: mostFound, Bare: true})
			return err
		})
		if !known {
			return ErrOver
		}
		for _, by := range found {
			if by.State != task.Succeeded && by.State != task.Canceled {
				k.config.Log.Info("step.waits", "task", t.ID.String(), "type", t.Type, "undone_by", by.ID.String(), "state", string(by.State))
				return &Undoing{by.ID, by.State}
			}
		}
	}
	return nil
}

// mostFound is how many tasks are looked for at once: a page of the store.
const mostFound = 500

// Undo adds to settlements of tasks that die what undoes their steps, repeated until it is
// done. It is called once for each. It fails when the node is gone.
func (k *Keeper) Undo(ends []*store.Settlement) error {
	of := map[task.ID]*store.Settlement{}
	var ids []task.ID
	for _, end := range ends {
		if end.Outcome == task.OutcomeDead {
			of[end.Task.ID] = end
			ids = append(ids, end.Task.ID)
		}
	}
	if k.config.Store == nil {
		return nil
	}
	return k.each(ids, func(id task.ID, stored []task.Step) {
		k.undo(of[id], stored)
	})
}

// each reads the steps of tasks, and yields those of each that has any.
func (k *Keeper) each(ids []task.ID, yield func(id task.ID, stored []task.Step)) error {
	for some := range slices.Chunk(ids, mostRead) {
		var stored []task.Step
		known := k.untilKnown(len(some), func(ctx context.Context) (err error) {
			stored, err = k.config.Store.StepsOf(ctx, some)
			return err
		})
		if !known {
			return ErrOver
		}
		for len(stored) > 0 {
			n := 1
			for n < len(stored) && stored[n].Task == stored[0].Task {
				n++
			}
			yield(stored[0].Task, stored[:n])
			stored = stored[n:]
		}
	}
	return nil
}

// UndoLate enqueues what undoes steps that were added between Undo and the deaths that it has
// prepared, repeated until it is done, and returns it. Only a remote worker adds some then,
// whose attempt another has ended.
func (k *Keeper) UndoLate(ends []*store.Settlement) []store.Insert {
	late := k.late(ends)
	if len(late) == 0 {
		return nil
	}
	k.untilKnown(len(late), func(ctx context.Context) error {
		results, err := k.config.Enqueue(ctx, []store.Batch{{Items: late}})
		if err == nil && results[0].Err != nil {
			k.config.Log.Error("step.not_undone", "tasks", len(late), "error", results[0].Err)
		}
		return err
	})
	return late
}

func (k *Keeper) late(ends []*store.Settlement) (late []store.Insert) {
	if k.config.Store == nil {
		return nil
	}
	had := map[task.ID]bool{}
	of := map[task.ID]*task.Task{}
	var ids []task.ID
	for _, end := range ends {
		ids = append(ids, end.Task.ID)
		of[end.Task.ID] = end.Task
		for _, follow := range end.Follow {
			had[follow.Task.ID] = true
		}
	}
	_ = k.each(ids, func(id task.ID, stored []task.Step) { // without an answer the node is gone
		undo, _ := ToUndo(of[id], stored)
		for i := range undo {
			if insert, ok := k.config.Undo(of[id], &undo[i]); ok && !had[insert.Task.ID] {
				late = append(late, insert)
			}
		}
	})
	return late
}

// undo adds to the end of a task what undoes its steps. If that is not known here, the task
// waits for a node that knows.
func (k *Keeper) undo(end *store.Settlement, stored []task.Step) {
	undo, err := ToUndo(end.Task, stored)
	follow := slices.Clip(end.Follow)
	for i := range undo {
		insert, ok := k.config.Undo(end.Task, &undo[i])
		if !ok {
			err = errors.New("there is no queue for what undoes its steps")
		}
		follow = append(follow, insert)
	}
	if err == nil {
		end.Follow = follow
		return
	}
	k.config.Log.Error("step.not_undone", "task", end.Task.ID.String(), "error", err)
	end.Outcome, end.DeadReason, end.Follow = task.OutcomeSnoozed, "", nil
	end.RunAt = end.EndedAt.Add(Pause)
}
