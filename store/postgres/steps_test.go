package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

func stepOf(t *task.Task, seq int) task.Step {
	return task.Step{Task: t.ID, Seq: seq, Claim: t.Claim, Name: fmt.Sprint("step ", seq), Occurrence: 1, Attempt: 1, Result: []byte(`"done"`)}
}

// addStep adds a step and returns how it was answered.
func (g *ground) addStep(t *task.Task, seq int) store.Status {
	g.Helper()
	statuses, err := g.s.AddSteps(context.WithoutCancel(g.Context()), []task.Step{stepOf(t, seq)})
	if err != nil {
		g.Error(err)
		return ""
	}
	return statuses[0]
}

func (g *ground) isAdded(t *task.Task, seq int, want store.Status) {
	g.Helper()
	if got := g.addStep(t, seq); got != want {
		g.Errorf("step %d was answered with %q, want %q", seq, got, want)
	}
}

// steps fails the test unless the steps of a task have these numbers.
func (g *ground) steps(id task.ID, want ...int) {
	g.Helper()
	steps, err := g.s.StepsOf(context.WithoutCancel(g.Context()), []task.ID{id})
	g.ok(err)
	var got []int
	for i := range steps {
		got = append(got, steps[i].Seq)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		g.Errorf("the steps are %v, want %v", got, want)
	}
}

// ways are those in which a task runs: by the claim log, and apart.
var ways = map[string]func(g *ground) *task.Task{
	"by the log": func(g *ground) *task.Task { return g.claim(g.add(1)...).Tasks[0] },
	"keyed": func(g *ground) *task.Task {
		batch, ids := g.batch(1, func(_ int, t *task.Task) { t.Key = "k" })
		g.ok(g.enqueue(batch)[0].Err)
		return g.claim(ids...).Tasks[0]
	},
	"leased": func(g *ground) *task.Task {
		items := []store.ClaimItem{{ID: g.add(1)[0]}}
		claimed, err := g.s.Claim(g.Context(), store.Claim{Node: "n1", Worker: "w", Lease: time.Microsecond, Lanes: g.lanes, Items: items})
		g.ok(err)
		return claimed.Tasks[0]
	},
	"canceled": func(g *ground) *task.Task {
		running := g.claim(g.add(1)...).Tasks[0]
		_, err := g.s.Cancel(g.Context(), running.ID)
		g.ok(err)
		return running
	},
}

// end ends the claim of a task; it may be called in another goroutine.
type end func(g *ground, p *pgxpool.Pool, t *task.Task) error

var ends = map[string]end{
	"success": settlingAs(store.Settlement{Outcome: task.OutcomeSucceeded}),
	"failure": settlingAs(store.Settlement{Outcome: task.OutcomeFailed, Failure: &task.Failure{Message: "x"}}),
	"death":   settlingAs(store.Settlement{Outcome: task.OutcomeDead, Failure: &task.Failure{Message: "x"}, DeadReason: task.Exhausted}),
	"success in a transaction": func(g *ground, p *pgxpool.Pool, t *task.Task) error {
		return pgx.BeginFunc(context.Background(), p, func(tx pgx.Tx) error {
			settled, err := g.s.SettleTx(context.Background(), tx, store.Settlement{Task: t, Outcome: task.OutcomeSucceeded})
			return errors.Join(err, isOK(settled))
		})
	},
	"recovery": func(g *ground, _ *pgxpool.Pool, t *task.Task) error {
		if err := g.s.Leave(context.Background(), "n1"); err != nil {
			return err
		}
		recovered, err := g.s.Recover(context.Background(), g.queue.Numbers, 10)
		if err == nil && (len(recovered) != 1 || recovered[0].ID != t.ID) {
			err = fmt.Errorf("recovered %+v", recovered)
		}
		return err
	},
}

func settlingAs(settlement store.Settlement) end {
	return func(g *ground, _ *pgxpool.Pool, t *task.Task) error {
		settlement := settlement
		settlement.Task, settlement.StartedAt, settlement.EndedAt = t, time.Now(), time.Now()
		settled, err := g.s.Settle(context.Background(), []store.Settlement{settlement})
		if err != nil {
			return err
		}
		return isOK(settled[0])
	}
}

func isOK(settled store.Settled) error {
	if settled.Status != store.StatusOK {
		return fmt.Errorf("settled %+v", settled)
	}
	return nil
}

// gated is a database in which steps that are written wait for a gate, without a lock of
// which the wait would have an end.
type gated struct {
	*testing.T
	p *pgxpool.Pool
}

func newGated(t *testing.T) *gated {
	d := &gated{t, pool(t, servertest.Postgres(t))}
	open(t, d.p.Config().ConnString())
	d.do(`CREATE SCHEMA gate`)
	d.do(`CREATE TABLE gate.shut ()`)
	d.do(`CREATE FUNCTION gate.pass() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN WHILE EXISTS (SELECT FROM gate.shut) LOOP PERFORM pg_sleep(0.002); END LOOP; RETURN NEW; END $$`)
	d.do(`CREATE TRIGGER gate BEFORE INSERT ON outlast_step FOR EACH ROW EXECUTE FUNCTION gate.pass()`)
	return d
}

func (d *gated) do(text string) {
	d.Helper()
	if _, err := d.p.Exec(d.Context(), text); err != nil {
		d.Fatal(err)
	}
}

// emptied is a store with nothing in it.
func (d *gated) emptied(t *testing.T) *ground {
	t.Helper()
	servertest.WipePostgres(t, d.p, "public")
	s, err := postgres.Open(t.Context(), d.p, postgres.WithoutMigration())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return newGround(t, s, 1)
}

// await waits until a statement finds something, or an end has come.
func (d *gated) await(t *testing.T, what string, ended <-chan error, text string, args ...any) (found int64) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) { // sleep: a server tells nobody who waits
		err := d.p.QueryRow(context.WithoutCancel(t.Context()), text, args...).Scan(&found)
		switch {
		case err == nil:
			return found
		case !errors.Is(err, pgx.ErrNoRows):
			t.Error(err)
			return 0
		}
		select {
		case err := <-ended:
			t.Errorf("%s did not wait: %v", what, err)
			return 0
		default:
		}
	}
	t.Errorf("nothing is seen of %s", what)
	return 0
}

const (
	atTheGate = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
	behind    = `SELECT pid FROM pg_stat_activity WHERE $1::bigint = ANY(pg_blocking_pids(pid)) LIMIT 1`
)

// Whatever ends the claim of a task waits for a step of it that is being added.
func TestStepsAreWaitedFor(t *testing.T) {
	t.Parallel()
	d := newGated(t)
	for way, run := range ways {
		for what, end := range ends {
			if way == "by the log" && what == "recovery" {
				continue // passes it over, see below
			}
			t.Run(way+"/"+what, func(t *testing.T) {
				g := d.emptied(t)
				running := run(g)
				d.do(`INSERT INTO gate.shut DEFAULT VALUES`)
				added, ended := make(chan store.Status, 1), make(chan error, 1)
				go func() { added <- g.addStep(running, 1) }()
				adding := d.await(t, "the step", nil, atTheGate)
				go func() { ended <- end(g, d.p, running) }()
				d.await(t, "the end", ended, behind, adding)
				d.do(`DELETE FROM gate.shut`)
				if status := <-added; status != store.StatusOK {
					t.Errorf("the step was answered with %q", status)
				}
				if t.Failed() {
					return
				}
				g.ok(<-ended)
				g.isAdded(running, 2, store.StatusStale)
				g.steps(running.ID, 1)
				g.sound()
			})
		}
	}
}

// A recovery passes over a task of which a step is being added, and finds it later.
func TestStepsOfALostNode(t *testing.T) {
	t.Parallel()
	d := newGated(t)
	g := d.emptied(t)
	running := ways["by the log"](g)
	d.do(`INSERT INTO gate.shut DEFAULT VALUES`)
	added := make(chan store.Status, 1)
	go func() { added <- g.addStep(running, 1) }()
	d.await(t, "the step", nil, atTheGate)
	g.ok(g.s.Leave(t.Context(), "n1"))
	recovered, err := g.s.Recover(t.Context(), g.queue.Numbers, 10)
	d.do(`DELETE FROM gate.shut`)
	if status := <-added; err != nil || len(recovered) != 0 || status != store.StatusOK {
		t.Errorf("recovered %+v, %v; the step was answered with %q", recovered, err, status)
	}
	if recovered, err = g.s.Recover(t.Context(), g.queue.Numbers, 10); err != nil || len(recovered) != 1 {
		t.Errorf("afterwards recovered %+v, %v", recovered, err)
	}
	g.isAdded(running, 2, store.StatusStale)
	g.steps(running.ID, 1)
	g.sound()
}

// A step waits for what is ending its claim, and is stale then. What only sets the row
// apart has ended nothing.
func TestStepsWaitForAnEnd(t *testing.T) {
	t.Parallel()
	url := database(t)
	p := pool(t, url)
	const back, apart = `WITH r AS (DELETE FROM outlast_run WHERE id = $1::text::uuid) UPDATE outlast_task SET claim = $2 WHERE id = $1::text::uuid`,
		`WITH r AS (INSERT INTO outlast_run (id, lane, claim, started_at, node) SELECT id, lane, $2, 1, 'n1' FROM outlast_task WHERE id = $1::text::uuid)
 UPDATE outlast_task SET apart = $2 WHERE id = $1::text::uuid`
	changed := func(text string) func(*ground, pgx.Tx, *task.Task) error {
		return func(g *ground, tx pgx.Tx, running *task.Task) error {
			_, err := tx.Exec(g.Context(), text, running.ID.String(), running.Claim)
			return err
		}
	}
	settled := func(g *ground, tx pgx.Tx, running *task.Task) error {
		settled, err := g.s.SettleTx(g.Context(), tx, store.Settlement{Task: running, Outcome: task.OutcomeSucceeded})
		return errors.Join(err, isOK(settled))
	}
	for _, test := range []struct {
		name, way string
		change    func(*ground, pgx.Tx, *task.Task) error
		want      store.Status
	}{
		{"put back", "by the log", changed(back), store.StatusStale},
		{"put back apart", "keyed", changed(back), store.StatusStale},
		{"put back a lease", "leased", changed(back), store.StatusStale},
		{"settled", "by the log", settled, store.StatusStale},
		{"settled apart", "keyed", settled, store.StatusStale},
		{"set apart", "by the log", changed(apart), store.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			servertest.WipePostgres(t, p, "public")
			g := newGround(t, open(t, url), 1)
			running := ways[test.way](g)
			tx, err := p.Begin(t.Context())
			g.ok(err)
			if err := test.change(g, tx, running); err != nil {
				t.Fatal(errors.Join(err, tx.Rollback(t.Context())))
			}
			commitWhenAwaited(t, p, tx)
			g.isAdded(running, 1, test.want)
			if test.want == store.StatusOK {
				g.steps(running.ID, 1)
			} else {
				g.steps(running.ID)
			}
			g.sound()
		})
	}
}

// A step that was added changes nothing for a caller's transaction that began before and
// settles the task.
func TestStepsBesideATransaction(t *testing.T) {
	t.Parallel()
	url := database(t)
	g := newGround(t, open(t, url), 1)
	p := pool(t, url)
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		running := ways["by the log"](g)
		tx, err := p.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		g.ok(err)
		_, err = tx.Exec(t.Context(), "SELECT 1")
		g.ok(err)
		g.isAdded(running, 1, store.StatusOK)
		settled, err := g.s.SettleTx(t.Context(), tx, store.Settlement{Task: running, Outcome: task.OutcomeSucceeded})
		if err := errors.Join(err, isOK(settled), tx.Commit(t.Context())); err != nil {
			t.Errorf("%s: %v", level, err)
		}
		g.steps(running.ID, 1)
	}
	g.sound()
}

// No step is added under the number of another claim, or under a claim that was lost by a
// server that took over without the last commits.
func TestStepsOfAnotherClaim(t *testing.T) {
	t.Parallel()
	url := database(t)
	g := newGround(t, open(t, url), 1)
	waiting := &task.Task{ID: g.add(1)[0]}
	keyed, running := ways["keyed"](g), ways["by the log"](g)
	later := *keyed
	waiting.Claim = running.Claim
	g.isAdded(waiting, 1, store.StatusStale)
	later.Claim++
	g.isAdded(&later, 1, store.StatusStale)
	g.isAdded(keyed, 1, store.StatusOK)
	g.isAdded(running, 1, store.StatusOK)
	if _, err := pool(t, url).Exec(t.Context(), "DELETE FROM outlast_claim"); err != nil {
		t.Fatal(err)
	}
	g.isAdded(running, 2, store.StatusStale)
	g.steps(running.ID, 1)
}

// Of steps with one name that one counts which was added last, within a call, and when
// the clock has been put back meanwhile.
func TestStepsThatReplace(t *testing.T) {
	t.Parallel()
	var offset atomic.Int64
	g := newGround(t, open(t, servertest.Postgres(t), postgres.WithClockOffset(func() time.Duration { return time.Duration(offset.Load()) })), 1)
	running := ways["by the log"](g)
	add := func(seqs ...int) {
		t.Helper()
		var steps []task.Step
		for _, seq := range seqs {
			step := stepOf(running, seq)
			step.Name = "one"
			steps = append(steps, step)
		}
		statuses, err := g.s.AddSteps(t.Context(), steps)
		g.ok(err)
		for _, status := range statuses {
			if status != store.StatusOK {
				t.Errorf("answered with %v", statuses)
			}
		}
	}
	add(1, 3, 2)
	g.steps(running.ID, 2)
	offset.Store(int64(-48 * time.Hour)) // a day for which there was no table
	add(1)
	g.steps(running.ID, 1)
}

// Steps of live tasks and of dead letters outlive their day; those of ended tasks go, and
// are not there any more once their task has gone, whoever takes the id.
func TestStepsOfDaysThatArePast(t *testing.T) {
	t.Parallel()
	url := servertest.Postgres(t)
	var offset atomic.Int64
	at := time.Now().UTC()
	noon := at.Truncate(24 * time.Hour).Add(36 * time.Hour).Sub(at) // of tomorrow, so that no day ends meanwhile
	offset.Store(int64(noon))
	s := open(t, url, postgres.WithClockOffset(func() time.Duration { return time.Duration(offset.Load()) }))
	g := newGround(t, s, 1)
	p := pool(t, url)
	ids := g.add(4)
	tasks := g.claim(ids...).Tasks
	for _, running := range tasks {
		g.isAdded(running, 1, store.StatusOK)
	}
	g.settle(tasks[:2], task.OutcomeSucceeded)
	g.settle(tasks[2:3], task.OutcomeFailed)
	g.settle(tasks[3:], task.OutcomeDead)
	later := func(days int) {
		offset.Store(int64(noon + time.Duration(days)*24*time.Hour))
	}
	rows := func(want int) {
		t.Helper()
		var n int
		g.ok(p.QueryRow(t.Context(), "SELECT count(*) FROM outlast_step").Scan(&n))
		if n != want {
			t.Errorf("%d rows of steps, want %d", n, want)
		}
	}
	cleanUp := func(want int) {
		t.Helper()
		n, err := s.Cleanup(t.Context(), time.Now().Add(time.Duration(offset.Load())-24*time.Hour), 1000)
		g.ok(err)
		if (n == 0) != (want == 0) {
			t.Errorf("%d rows were deleted, want %d", n, want)
		}
	}
	later(10)
	_, err := p.Exec(t.Context(), "DELETE FROM outlast_done") // as a cleanup that is killed once it has dropped the day
	g.ok(err)
	g.steps(ids[0])
	batch, _ := g.batch(1, func(_ int, t *task.Task) { t.ID = ids[0] })
	g.ok(g.enqueue(batch)[0].Err)
	g.steps(ids[0])
	again := g.claim(ids[0]).Tasks[0]
	g.isAdded(again, 2, store.StatusOK)
	g.steps(ids[0], 2)

	cleanUp(1)
	rows(4) // that of the second has gone
	cleanUp(0)
	g.steps(ids[2], 1)
	g.steps(ids[3], 1)
	plantLost(g, p, ids[2])
	cleanUp(0) // the day is known to be wanted whole
	later(11)
	cleanUp(1) // a day of ended tasks has gone
	rows(4)
	purged, err := s.Purge(t.Context(), store.Filter{}, 10)
	g.ok(err)
	if len(purged) != 1 {
		t.Errorf("purged %d", len(purged))
	}
	rows(3)
	g.sound()
}

// plantLost gives a task that there is none the steps of another.
func plantLost(g *ground, p *pgxpool.Pool, id task.ID) {
	g.Helper()
	_, err := p.Exec(g.Context(), `INSERT INTO outlast_step SELECT gen_random_uuid(), lane, seq, claim, recorded_at, written, about FROM outlast_step WHERE id = $1::text::uuid`, id.String())
	g.ok(err)
}

// A settlement that snoozes for a signal waits for one that is being added, and a signal for a
// settlement: the task is due afterwards.
func TestStepsOfSignals(t *testing.T) {
	t.Parallel()
	url := database(t)
	p := pool(t, url)
	const (
		signals = `WITH t AS (SELECT id, lane FROM outlast_task WHERE id = $1::text::uuid FOR NO KEY UPDATE)
INSERT INTO outlast_step (id, lane, seq, claim, recorded_at, written, about)
SELECT id, lane, 1, $2, $2, pg_current_xact_id(), '{"name":"a","occurrence":0,"type":"signal"}' FROM t WHERE $3::bigint > 0`
		snoozes = `WITH r AS (DELETE FROM outlast_run WHERE id = $1::text::uuid)
UPDATE outlast_task SET claim = $2, run_at = $3::bigint, rank = $3::bigint - priority * 30000000::bigint WHERE id = $1::text::uuid`
	)
	for _, way := range []string{"by the log", "keyed"} {
		for _, first := range []string{signals, snoozes} {
			t.Run(fmt.Sprintf("%s, the signal first %t", way, first == signals), func(t *testing.T) {
				servertest.WipePostgres(t, p, "public")
				g := newGround(t, open(t, url), 1)
				running, until := ways[way](g), time.Now().Add(time.Hour).Truncate(time.Microsecond)
				wait := stepOf(running, 1)
				wait.Name, wait.Type, wait.Until = "a", task.StepAwait, until
				if statuses, err := g.s.AddSteps(t.Context(), []task.Step{wait}); err != nil || statuses[0] != store.StatusOK {
					t.Fatal(statuses, err)
				}
				tx, err := p.Begin(t.Context())
				g.ok(err)
				if _, err := tx.Exec(t.Context(), first, running.ID.String(), running.Claim, until.UnixMicro()); err != nil {
					t.Fatal(errors.Join(err, tx.Rollback(t.Context())))
				}
				commitWhenAwaited(t, p, tx)
				if first == signals {
					settled, err := g.s.Settle(t.Context(), []store.Settlement{{Task: running, Outcome: task.OutcomeSnoozed, StartedAt: time.Now(), EndedAt: time.Now(), RunAt: until, Awaits: []string{"a"}}})
					g.ok(err)
					g.ok(isOK(settled[0]))
				} else {
					done, err := g.s.Signal(t.Context(), task.Step{Task: running.ID, Name: "a", Type: task.StepSignal})
					if err != nil || !done.Woken {
						t.Errorf("the signal was answered with %+v, %v", done, err)
					}
				}
				if row, err := g.s.Get(t.Context(), running.ID); err != nil || !row.RunAt.Before(until) {
					t.Errorf("a signal is lost: %+v, %v", row, err)
				}
				g.sound()
			})
		}
	}
}
