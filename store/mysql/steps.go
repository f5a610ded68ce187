package mysql

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/literal"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockRuns keeps running rows, whoever has them, from being ended before the commit,
	// and reads their claims. Locked shared: steps of a task do not wait for one another.
	lockRuns = `SELECT r.id, r.claim FROM outlast_run r FORCE INDEX (PRIMARY) WHERE r.id IN (@ids) LOCK IN SHARE MODE`

	// insertSteps adds steps, each in place of one of its task with its name and
	// occurrence.
	insertSteps     = `INSERT INTO outlast_step (id, name, occurrence, seq, claim, about, result, argument) VALUES `
	insertStepsOver = ` ON DUPLICATE KEY UPDATE seq = VALUES(seq), claim = VALUES(claim), about = VALUES(about), result = VALUES(result), argument = VALUES(argument)`

	stepsOf     = `SELECT id, seq, claim, name, occurrence, about, result, argument FROM outlast_step FORCE INDEX (PRIMARY) WHERE id IN (@ids)`
	countSteps  = `SELECT id, COUNT(*) FROM outlast_step FORCE INDEX (PRIMARY) WHERE id IN (@ids) GROUP BY id`
	deleteSteps = `DELETE s FROM outlast_step s FORCE INDEX (PRIMARY) WHERE s.id IN (@ids)`
)

// steps is what of a store keeps steps.
type steps struct{ in *Store }

// newStep is a step to add, where its answer goes, and its row of insertSteps.
type newStep struct {
	*task.Step
	status *store.Status
	row    []byte
}

// compare is the order in which everybody adds steps.
func (s newStep) compare(other newStep) int {
	return cmp.Or(s.Task.Compare(other.Task), cmp.Compare(s.Name, other.Name), cmp.Compare(s.Occurrence, other.Occurrence))
}

// AddSteps implements [store.Steps]. Whatever ends a claim deletes the row in outlast_run,
// which it locks until its commit.
func (k steps) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	statuses, rows := make([]store.Status, len(steps)), make([]newStep, len(steps))
	for i := range steps {
		row, err := stepRow(&steps[i])
		if err != nil {
			return nil, task.Invalid("step", "it cannot be stored: "+err.Error(), "")
		}
		rows[i] = newStep{&steps[i], &statuses[i], row}
	}
	slices.SortStableFunc(rows, newStep.compare)
	err := k.in.transact(ctx, "steps", func(tx *tx) error { return tx.addSteps(rows) })
	if err != nil {
		return nil, err
	}
	return statuses, nil
}

func stepRow(step *task.Step) ([]byte, error) {
	about, result, argument, err := stored.Step(step)
	if err != nil {
		return nil, err
	}
	return literal.AppendRow(nil, []any{step.Task, step.Name, step.Occurrence, step.Seq, step.Claim, about, result, argument})
}

func (tx *tx) addSteps(rows []newStep) error {
	claims, err := tx.lockRuns(rows)
	if err != nil {
		return err
	}
	into := insertion{on: tx.session, head: insertSteps, tail: insertStepsOver, most: len(rows)}
	for _, row := range rows {
		claim, runs := claims[row.Task]
		if !runs || claim != row.Claim {
			*row.status = store.StatusStale
			continue
		}
		*row.status = store.StatusOK
		if err := into.addText(row.row); err != nil {
			return err
		}
	}
	return into.flush()
}

// lockRuns are the claims under which the tasks of steps run.
func (tx *tx) lockRuns(rows []newStep) (map[task.ID]int64, error) {
	wanted := make([]task.ID, len(rows))
	for i := range rows {
		wanted[i] = rows[i].Task
	}
	claims := map[task.ID]int64{}
	err := ids(slices.Compact(wanted), lockRuns, func(query string) error {
		return tx.each(query, func(rows *sql.Rows) error {
			var id identity
			var claim int64
			err := rows.Scan(&id, &claim)
			claims[task.ID(id)] = claim
			return err
		})
	})
	return claims, err
}

// StepsOf implements [store.Steps].
func (k steps) StepsOf(ctx context.Context, wanted []task.ID) (found []task.Step, err error) {
	wanted = slices.Clone(wanted)
	sortIDs(wanted)
	wanted = slices.Compact(wanted)
	err = k.in.read(ctx, func(c *session) (err error) {
		found, err = c.steps(wanted)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (s *session) steps(wanted []task.ID) (found []task.Step, err error) {
	err = ids(wanted, stepsOf, func(query string) error {
		return s.each(query, func(rows *sql.Rows) error {
			step, err := scanStep(rows)
			found = append(found, step)
			return err
		})
	})
	slices.SortFunc(found, stored.StepOrder)
	return found, err
}

// scanStep reads a step. Its name and occurrence are those of the key, whatever else of
// it can be read.
func scanStep(rows *sql.Rows) (step task.Step, err error) {
	var name text
	var occurrence int
	var about, result, argument []byte
	err = rows.Scan((*identity)(&step.Task), &step.Seq, &step.Claim, &name, &occurrence, &about, &result, &argument)
	stored.SetStep(&step, about, result, argument)
	step.Name, step.Occurrence = string(name), occurrence
	return step, err
}

// countSteps counts the steps of tasks that have any.
func (s *session) countSteps(all []task.ID) (map[task.ID]int, error) {
	counts := map[task.ID]int{}
	err := ids(all, countSteps, func(query string) error {
		return s.each(query, func(rows *sql.Rows) error {
			var id identity
			var n int
			err := rows.Scan(&id, &n)
			counts[task.ID(id)] = n
			return err
		})
	})
	return counts, err
}
