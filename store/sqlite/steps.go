package sqlite

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// addStep adds a step, in place of one of its task with its name and occurrence, if
	// the task runs under the claim: whatever ends that is a write transaction, before
	// this one or after it. Inputs: id, claim, name, occurrence, seq, what is known,
	// result, argument.
	addStep = &query{sql: `INSERT OR FAIL INTO outlast_step (id, claim, name, occurrence, seq, about, result, argument)
SELECT t.id, r.claim, ?3, ?4, ?5, ?6, ?7, ?8 FROM outlast_task t CROSS JOIN outlast_run r ON r.num = t.num WHERE t.id = ?1 AND r.claim = ?2
ON CONFLICT (id, name, occurrence) DO UPDATE SET seq = ?5, claim = ?2, about = ?6, result = ?7, argument = ?8`}

	// stepsOf reads steps as they lie: to put results in order would take the memory of
	// the driver.
	stepsOf = newIDQuery(`SELECT id, seq, claim, name, occurrence, about, result, argument FROM outlast_step WHERE id IN (@ids)`)

	// addSignal adds what ends a wait. Inputs as of addStep.
	addSignal = &query{sql: `INSERT OR FAIL INTO outlast_step (id, claim, name, occurrence, seq, about, result, argument) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (id, name, occurrence) DO UPDATE SET seq = ?5, claim = ?2, about = ?6, result = ?7, argument = ?8`}

	countSteps  = newIDQuery(`SELECT id, count(*) FROM outlast_step WHERE id IN (@ids) GROUP BY id`)
	deleteSteps = newIDQuery(`DELETE FROM outlast_step WHERE id IN (@ids)`)
)

// AddSteps implements [store.Steps].
func (s *Store) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	rows := make([][]any, len(steps))
	for i := range steps {
		row, err := stepRow(&steps[i])
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	var statuses []store.Status
	err := s.write(ctx, "steps", func(tx *tx) error {
		statuses = make([]store.Status, len(rows))
		for i, row := range rows {
			added, err := tx.exec(addStep, row...)
			if err != nil {
				return err
			}
			if statuses[i] = store.StatusOK; added == 0 {
				statuses[i] = store.StatusStale
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return statuses, nil
}

func stepRow(step *task.Step) ([]any, error) {
	about, result, argument, err := stored.Step(step)
	if err != nil {
		return nil, task.Invalid("step", "it cannot be stored: "+err.Error(), "")
	}
	return []any{step.Task, step.Claim, []byte(step.Name), step.Occurrence, step.Seq, string(about), result, argument}, nil
}

// StepsOf implements [store.Steps].
func (s *Store) StepsOf(ctx context.Context, ids []task.ID) (steps []task.Step, err error) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, task.ID.Compare)
	ids = slices.Compact(ids)
	err = s.read(ctx, func(c *conn) (err error) {
		steps, err = stepsIn(c, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	return steps, nil
}

func stepsIn(on session, ids []task.ID) (steps []task.Step, err error) {
	err = stepsOf.each(on, ids, func(r row) error {
		steps = append(steps, scanStep(r))
		return nil
	})
	slices.SortFunc(steps, stored.StepOrder)
	return steps, err
}

// Hold implements [sqlstore.Changer]: there is one writer.
func (t coldTx) Hold(id task.ID, _ bool) (*task.Task, error) { return get(t, id) }

// Steps implements [sqlstore.Changer].
func (t coldTx) Steps(id task.ID) ([]task.Step, error) { return stepsIn(t, []task.ID{id}) }

// AddSignal implements [sqlstore.Changer].
func (t coldTx) AddSignal(of *task.Task, step *task.Step) error {
	signal := *step
	signal.Claim = of.Claim
	row, err := stepRow(&signal)
	if err == nil {
		_, err = t.exec(addSignal, row...)
	}
	return err
}

// scanStep reads a step. Its name and occurrence are those of the key, whatever else of
// it can be read.
func scanStep(r row) task.Step {
	step := task.Step{Task: r.ID(0), Seq: int(r.Int(1)), Claim: r.Int(2)}
	stored.SetStep(&step, r.Blob(5), r.Blob(6), r.Blob(7))
	step.Name, step.Occurrence = r.Text(3), int(r.Int(4))
	return step
}

// stepsOfEach counts the steps of tasks that have any.
func stepsOfEach(s session, ids []task.ID) (map[task.ID]int, error) {
	counts := map[task.ID]int{}
	err := countSteps.each(s, ids, func(r row) error {
		counts[r.ID(0)] = int(r.Int(1))
		return nil
	})
	return counts, err
}
