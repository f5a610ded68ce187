package steps

import (
	"context"
	"fmt"
	"strconv"

	"github.com/outlast-dev/outlast/task"
)

// Given completes a step that a remote worker has done, which counts its occurrences itself.
// It is then as good as stored. A repeat under the same claim keeps its place in the order.
// It fails for a step that an earlier attempt has done and that is not undone: what undoes
// that would be lost. And it fails if the task has too many or too large ones.
func (l *Log) Given(s *task.Step) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Task, s.Claim, s.Attempt = l.task.ID, l.task.Claim, l.task.Attempt
	before := l.done[placeOf(s)]
	if before != nil && before.Claim != s.Claim {
		return &Misuse{fmt.Sprintf("step %q was done by an earlier attempt, as its occurrence %d", s.Name, s.Occurrence), "take what came with the task in its steps, and do not do it again"}
	}
	if err := l.fits(s); err != nil {
		return err
	}
	if before != nil {
		s.Seq = before.Seq
	} else {
		l.last++
		s.Seq = l.last
	}
	l.keep(s)
	l.done[placeOf(s)] = s
	return nil
}

// fits fails if the task has too many or too large steps with this one, which replaces
// one of its name and occurrence.
func (l *Log) fits(s *task.Step) error {
	if err := l.room(placeOf(s)); err != nil {
		return err
	}
	if l.bytes+bytesOf(s)-l.places[placeOf(s)] > task.MaxStepBytes {
		return &Misuse{"the steps of the task have more than " + strconv.Itoa(task.MaxStepBytes) + " bytes together", "return where a large result lies instead of the result"}
	}
	return nil
}

// Done are those of the steps of a task that are not to be done again, and its signals. It fails if one of
// them cannot be read.
func Done(t *task.Task, stored []task.Step) (done []task.Step, err error) {
	for i := range stored {
		if stored[i].Unreadable != "" {
			return nil, &Unreadable{stored[i].Unreadable}
		}
		if stored[i].Forgotten(t) {
			continue
		}
		if stored[i].Compensation == nil || stored[i].Compensates(t) {
			done = append(done, stored[i])
		}
	}
	return done, nil
}

// Finished is what is done of a task whose attempt runs elsewhere.
type Finished struct {
	Steps []task.Step // not to be done again
	Bytes int         // of them
	// Err says that the attempt must not begin, as a step of a handler would: nobody knows
	// what is done, or it is being undone.
	Err error
}

// Finished reads what is done of tasks, one for one.
func (k *Keeper) Finished(ctx context.Context, tasks []*task.Task) ([]Finished, error) {
	out := make([]Finished, len(tasks))
	if k.config.Store == nil {
		return out, nil
	}
	ids := make([]task.ID, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	stored, err := k.config.Store.StepsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	of := map[task.ID][]task.Step{}
	for i := range stored {
		of[stored[i].Task] = append(of[stored[i].Task], stored[i])
	}
	for i, t := range tasks {
		if found := of[t.ID]; len(found) > 0 {
			out[i] = k.finished(t, found)
		}
	}
	return out, nil
}

func (k *Keeper) finished(t *task.Task, stored []task.Step) (f Finished) {
	if f.Steps, f.Err = Done(t, stored); f.Err == nil {
		f.Err = k.waits(t, stored)
	}
	for i := range f.Steps {
		f.Bytes += bytesOf(&f.Steps[i])
	}
	return f
}
