package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// Sessions on the coordinator are ended at random; the machines behind it are
// told to roll back.
func TestCitusSessionsThatAreEndedLoseNothing(t *testing.T) {
	c := citus(t)
	c.url = and(c.url, "application_name=outlast_ended&pool_max_conns=12")
	endSessions(t, c.url, c.distributed(t), 250*time.Millisecond) // the coordinator connects anew too
}

// Whichever answer to a call is lost, it has done nothing, or all, or says that
// nobody knows; and what is repeated as it stands ends right.
func TestCitusAnswersThatAreLost(t *testing.T) {
	c := citus(t)
	name := c.name(c.distributed(t))
	config, err := pgx.ParseConfig(c.url)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.SplitN(strings.SplitN(c.url, "@", 2)[1], "/", 2)[0]
	proxy := servertest.NewLossy(t, address)
	s := open(t, and(strings.Replace(c.url, address, proxy.Addr(), 1), "pool_max_conns=1"), postgres.WithSchema(name))
	g := newGround(t, s, 1)
	g.settle(g.claim(g.add(2)...).Tasks, task.OutcomeSucceeded) // everything is prepared
	lost := 0
	until := func(answer int, call func() error) {
		proxy.Lose(answer)
		err := call()
		proxy.Lose(0)
		for try := 0; err != nil; try++ {
			if lost++; try == 5 {
				t.Fatal(err)
			}
			err = call()
		}
	}
	for answer := 1; answer <= 4; answer++ {
		batch, ids := g.batch(3)
		until(answer, func() error {
			results, err := s.Enqueue(t.Context(), []store.Batch{batch})
			if err == nil {
				err = results[0].Err
			}
			return err
		})
		claim := store.Claim{Node: "n1", Lanes: g.lanes, Items: []store.ClaimItem{{ID: ids[0]}, {ID: ids[1]}, {ID: ids[2]}}}
		var claimed store.Claimed
		proxy.Lose(answer)
		claimed, err = s.Claim(t.Context(), claim)
		proxy.Lose(0)
		if err != nil {
			lost++
		}
		running, readErr := s.Running(t.Context(), "n1", ids)
		g.ok(readErr)
		if err == nil && len(claimed.Tasks) != len(running) {
			t.Errorf("answer %d lost: the claim says %+v; %d rows run", answer, claimed, len(running))
		}
		if len(running) == 0 {
			running = g.claim(ids...).Tasks
		}
		outcome := []task.Outcome{task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeDead, task.OutcomeSucceeded}[answer-1]
		until(answer, func() error {
			settled, err := s.Settle(t.Context(), settlements(running, outcome))
			for _, one := range settled {
				if one.Status != store.StatusOK {
					t.Errorf("answer %d lost: settled %+v", answer, one)
				}
			}
			return err
		})
	}
	if lost < 4 {
		t.Errorf("%d answers of %s were lost", lost, config.Host)
	}
	g.sound()
}

func settlements(tasks []*task.Task, outcome task.Outcome) (all []store.Settlement) {
	for _, t := range tasks {
		all = append(all, store.Settlement{Task: t, Outcome: outcome, StartedAt: t.StartedAt, EndedAt: time.Now()})
	}
	return all
}

// A claim writes one row of the log for each lane, and none for a task.
func TestCitusClaimsWriteRowsOfLanes(t *testing.T) {
	c := citus(t)
	g := newGround(t, c.distributed(t), 3)
	tasks := g.claim(g.add(30)...).Tasks
	rows := func() (logged, apart int) {
		g.ok(pool(t, c.url).QueryRow(t.Context(), strings.ReplaceAll(`SELECT (SELECT count(*) FROM $.outlast_claim), (SELECT count(*) FROM $.outlast_run)`, "$",
			pgx.Identifier{c.name(g.s)}.Sanitize())).Scan(&logged, &apart))
		return logged, apart
	}
	if logged, apart := rows(); logged != 3 || apart != 0 || len(tasks) != 30 {
		t.Errorf("%d tasks were claimed by %d rows of the log and %d rows of their own", len(tasks), logged, apart)
	}
	g.settle(tasks[:15], task.OutcomeSucceeded)
	g.settle(tasks[15:], task.OutcomeFailed)
	if _, apart := rows(); apart != 0 {
		t.Errorf("%d tasks were set apart", apart)
	}
	g.sound()
}

// A task that runs apart ends between two reads of a claim, which have a snapshot each: it
// is not pending in one and gone from what runs in the other.
func TestCitusClaimWhileATaskEnds(t *testing.T) {
	c := citus(t)
	g := newGround(t, c.distributed(t), 1)
	ids := g.add(2)
	g.claim(ids[1]) // prepares the statements
	leased, err := g.s.Claim(t.Context(), store.Claim{Node: "n1", Lanes: g.lanes, Items: []store.ClaimItem{{ID: ids[0]}}, Worker: "w", Lease: time.Hour})
	g.ok(err)
	if len(leased.Tasks) != 1 {
		t.Fatalf("leased %d tasks", len(leased.Tasks))
	}
	schema := pgx.Identifier{c.name(g.s)}.Sanitize()
	p := pool(t, c.url)
	tx, err := p.Begin(t.Context())
	g.ok(err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	do := func(statement string) {
		t.Helper()
		_, err := tx.Exec(t.Context(), strings.ReplaceAll(statement, "$", schema))
		g.ok(err)
	}
	do(`LOCK TABLE $.outlast_run IN ACCESS EXCLUSIVE MODE`)
	answer := make(chan store.Claimed, 1)
	go func() {
		claimed, err := g.s.Claim(t.Context(), store.Claim{Node: "n1", Lanes: g.lanes, Items: []store.ClaimItem{{ID: ids[0]}}})
		if err != nil {
			t.Error(err)
		}
		answer <- claimed
	}()
	for waiting := false; !waiting; {
		g.ok(p.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass)`, schema+".outlast_run").Scan(&waiting))
	}
	do(`DELETE FROM $.outlast_run`)
	do(`DELETE FROM $.outlast_task WHERE id = '` + ids[0].String() + `'`)
	g.ok(tx.Commit(t.Context()))
	if claimed := <-answer; len(claimed.Tasks) > 0 {
		t.Errorf("a task that has ended was claimed: %+v", claimed.Tasks[0])
	}
}

// A store that was distributed before the claim log was: no node joins until the rest
// is done, and then what ran runs.
func TestCitusLogThatIsNotDistributed(t *testing.T) {
	c := citus(t)
	s := c.distributed(t)
	name := c.name(s)
	g := newGround(t, s, 2)
	tasks := g.claim(g.add(4)...).Tasks
	g.ok(s.Leave(t.Context(), "n1"))
	schema := pgx.Identifier{name}.Sanitize()
	for _, statement := range []string{ // as it was: rows of their own, and views that know no log
		`INSERT INTO $.outlast_run (id, lane, claim, started_at, node) SELECT id, lane, claim, started_at, node FROM $.outlast_live WHERE state = 1`,
		`DELETE FROM $.outlast_claim`, `SELECT undistribute_table('$.outlast_claim')`,
	} {
		_, err := pool(t, c.url).Exec(t.Context(), strings.ReplaceAll(strings.ReplaceAll(statement, "'$", "'"+strings.ReplaceAll(schema, "'", "''")), "$.", schema+"."))
		g.ok(err)
	}
	if s, err := postgres.OpenURL(t.Context(), c.url, postgres.WithSchema(name)); err == nil {
		s.Close()
		t.Error("it opens")
	}
	old, err := postgres.OpenURL(t.Context(), c.url, postgres.WithSchema(name), postgres.WithoutMigration())
	g.ok(err)
	defer old.Close()
	if err := old.Join(t.Context(), store.Node{ID: "n2"}); err == nil {
		t.Error("a node joins")
	}
	for _, want := range []bool{true, false} {
		if done, err := old.Distribute(t.Context()); err != nil || done != want {
			t.Fatalf("distributed: %v, %v; want %v", done, err, want)
		}
	}
	g.ok(old.Join(t.Context(), store.Node{ID: "n2"}))
	g.s = old
	g.settle(tasks[:2], task.OutcomeSucceeded)
	recovered, err := old.Recover(t.Context(), g.queue.Numbers, 10)
	g.ok(err)
	if len(recovered) != 2 {
		t.Errorf("recovered %+v", recovered)
	}
	g.sound()
}

// What was there before the tables were distributed is there afterwards, and on
// the other machines alone.
func TestCitusTakesWhatIsThere(t *testing.T) {
	c := citus(t)
	name := c.fresh() + time.Now().Format(" 150405.000000")
	before := c.open(t, name).(*postgres.Store)
	dropLater(t, c.url, name)
	g := newGround(t, before, 3)
	ids := g.add(9)
	tasks := g.claim(ids...).Tasks
	for _, running := range tasks {
		g.isAdded(running, 1, store.StatusOK)
	}
	g.settle(tasks[:3], task.OutcomeSucceeded)
	g.settle(tasks[3:5], task.OutcomeFailed)
	g.settle(tasks[5:7], task.OutcomeDead)
	for _, want := range []bool{true, false} {
		done, err := before.Distribute(t.Context())
		if err != nil || done != want {
			t.Fatalf("distributed: %v, %v; want %v", done, err, want)
		}
	}
	g.ok(before.Close())
	g.s = c.open(t, name).(*postgres.Store) // it finds out by itself
	defer g.s.Close()
	counts := map[task.State]int{}
	for _, id := range ids {
		found, err := g.s.Get(t.Context(), id)
		g.ok(err)
		counts[found.State]++
		g.steps(id, 1)
	}
	if counts[task.Succeeded] != 3 || counts[task.Pending] != 2 || counts[task.Dead] != 2 || counts[task.Running] != 2 {
		t.Errorf("found %v", counts)
	}
	g.settle(tasks[7:], task.OutcomeSucceeded)
	g.settle(g.claim(g.add(4)...).Tasks, task.OutcomeSucceeded)
	var here int
	g.ok(pool(t, c.url).QueryRow(t.Context(), `SELECT sum(pg_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relname IN ('outlast_task', 'outlast_done', 'outlast_dead', 'outlast_attempt', 'outlast_step')`, name).Scan(&here))
	if here != 0 {
		t.Errorf("%d bytes of tasks are left on the coordinator", here)
	}
	g.sound()
}
