package postgres_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// roles are the owner of a database and a user of it, which have no other rights
// than those that a test gives.
type roles struct {
	t           *testing.T
	admin       *pgx.Conn
	owner, user string // URLs
	names       struct{ owner, user string }
}

// blank has databases with nothing in them; who leaves takes all of his own along.
var blank servertest.Shelf

func newRoles(t *testing.T) *roles {
	t.Helper()
	r := &roles{t: t}
	address := blank.Postgres(t)
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	if r.admin, err = pgx.ConnectConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	r.names.owner, r.names.user = config.Database+"_owner", config.Database+"_user"
	r.owner, r.user = as(t, address, r.names.owner), as(t, address, r.names.user)
	r.do("CREATE ROLE " + r.names.owner + " LOGIN")
	r.do("CREATE ROLE " + r.names.user + " LOGIN")
	r.do("GRANT CREATE ON DATABASE " + config.Database + " TO " + r.names.owner)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, err := r.admin.Exec(ctx, strings.NewReplacer("OWNER", r.names.owner, "USER", r.names.user).Replace(
			`DROP OWNED BY USER CASCADE; DROP OWNED BY OWNER CASCADE; DROP ROLE USER; DROP ROLE OWNER`))
		if err := errors.Join(err, r.admin.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	return r
}

// as is a URL with another user.
func as(t *testing.T, address, user string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(user)
	return u.String()
}

func (r *roles) do(statement string) {
	r.t.Helper()
	if _, err := r.admin.Exec(r.t.Context(), strings.NewReplacer("OWNER", r.names.owner, "USER", r.names.user).Replace(statement)); err != nil {
		r.t.Fatalf("%s: %v", statement, err)
	}
}

// mayWork gives what the store does all the time, but no part in the owner.
func (r *roles) mayWork() {
	r.t.Helper()
	r.do(`GRANT USAGE, CREATE ON SCHEMA work TO USER;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA work TO USER; GRANT USAGE ON SEQUENCE work.outlast_seq TO USER`)
}

// days counts the partitions of all tables, and those that are not the owner's.
func (r *roles) days() (days, foreign int) {
	r.t.Helper()
	err := r.admin.QueryRow(r.t.Context(), `SELECT count(*), count(*) FILTER (WHERE pg_get_userbyid(c.relowner) <> $1)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relkind = 'r'`, r.names.owner).Scan(&days, &foreign)
	if err != nil {
		r.t.Fatal(err)
	}
	return days, foreign
}

// refusedFor fails unless err is a refusal at once whose hint has the words.
func refusedFor(t *testing.T, err error, words ...string) {
	t.Helper()
	var typed *task.Error
	if !errors.As(err, &typed) || typed.Code != task.CodeUnavailable {
		t.Errorf("got %v, want a refusal", err)
		return
	}
	for _, word := range words {
		if !strings.Contains(typed.Hint, word) {
			t.Errorf("the hint of %v lacks %q", err, word)
		}
	}
}

// A role that may write but has no part in the owner of the tables could make no
// days, and so settle nothing once they run out: it is told when it opens them.
func TestRoleWithoutTheOwner(t *testing.T) {
	r := newRoles(t)
	open(t, r.owner, postgres.WithSchema("work"))
	if days, _ := r.days(); days != 3*8 {
		t.Errorf("%d partitions after a migration, want those of today and seven days for three tables", days)
	}
	r.mayWork()
	_, err := postgres.OpenURL(t.Context(), r.user, postgres.WithSchema("work"))
	refusedFor(t, err, `GRANT "`+r.names.owner+`" TO "`+r.names.user+`"`)
}

// A role that has a part in the owner works, and what it makes is the owner's.
func TestRoleWithTheOwner(t *testing.T) {
	r := newRoles(t)
	s := open(t, r.owner, postgres.WithSchema("work"))
	r.do(`GRANT OWNER TO USER`)
	later := 10 * 24 * time.Hour
	member := open(t, r.user, postgres.WithSchema("work"), postgres.WithClockOffset(func() time.Duration { return later }))
	if days, foreign := r.days(); days != 3*16 || foreign != 0 {
		t.Errorf("%d partitions, %d of them not the owner's", days, foreign)
	}
	g := newGround(t, member, 1)
	g.add(1)
	if _, err := member.Cleanup(t.Context(), time.Now().Add(30*24*time.Hour), 1000); err != nil {
		t.Error(err)
	}
	if _, err := s.Cleanup(t.Context(), time.Now(), 1000); err != nil { // the owner may drop what others made
		t.Error(err)
	}
}

// What somebody prints and another role runs is whole: nodes need not make days.
func TestPrintedMigrationsHaveTheFirstDays(t *testing.T) {
	r := newRoles(t)
	var text bytes.Buffer
	if err := postgres.PrintMigrations(&text); err != nil {
		t.Fatal(err)
	}
	r.do(`CREATE SCHEMA work AUTHORIZATION OWNER; SET SESSION AUTHORIZATION OWNER; SET search_path TO work`)
	r.do(text.String())
	r.do(text.String()[strings.LastIndex(text.String(), "DO $$"):]) // what is there is left alone
	r.do(`RESET SESSION AUTHORIZATION`)
	if days, foreign := r.days(); days != 3*8 || foreign != 0 {
		t.Errorf("%d partitions, %d of them not the owner's", days, foreign)
	}
	s := open(t, r.owner, postgres.WithSchema("work"))
	if days, _ := r.days(); days != 3*8 {
		t.Errorf("%d partitions after opening it, want the same", days)
	}
	newGround(t, s, 1).add(1)
}

// A role that loses its part in the owner is told to get that back, which gives all
// that it needs, and not one right after the other.
func TestRoleThatLosesTheOwner(t *testing.T) {
	r := newRoles(t)
	owner := open(t, r.owner, postgres.WithSchema("work"))
	r.do(`GRANT OWNER TO USER`)
	member := open(t, r.user, postgres.WithSchema("work"))
	r.do(`REVOKE OWNER FROM USER; GRANT USAGE ON SCHEMA work TO USER`)
	batch, _ := newGround(t, owner, 1).batch(1)
	results, err := member.Enqueue(t.Context(), []store.Batch{batch})
	if err != nil {
		t.Fatal(err)
	}
	refusedFor(t, results[0].Err, `GRANT "`+r.names.owner+`" TO "`+r.names.user+`"`)
}

// The want of a right is told at once, with the statement that gives it, and to
// those alone who need it.
func TestMissingRightsAreRefusals(t *testing.T) {
	r := newRoles(t)
	owner := open(t, r.owner, postgres.WithSchema("work"))
	g := newGround(t, owner, 1)
	r.do(`GRANT USAGE ON SCHEMA work TO USER; GRANT SELECT ON ALL TABLES IN SCHEMA work TO USER`)
	s := open(t, r.user, postgres.WithSchema("work"), postgres.WithoutMigration())
	fresh := func(key string) store.Batch {
		batch, _ := g.batch(1, func(_ int, t *task.Task) { t.Key = key })
		return batch
	}
	try := func(batches ...store.Batch) []store.BatchResult {
		t.Helper()
		results, err := s.Enqueue(t.Context(), batches)
		if err != nil {
			t.Fatalf("of unknown outcome: %v", err)
		}
		return results
	}
	refusedFor(t, try(fresh(""))[0].Err, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "work" TO "`+r.names.user+`"`)
	r.do(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA work TO USER`)
	results := try(fresh(""), fresh("k"), fresh(""))
	if results[0].Err != nil || results[2].Err != nil {
		t.Errorf("without a key: %v, %v", results[0].Err, results[2].Err)
	}
	refusedFor(t, results[1].Err, `GRANT USAGE ON SEQUENCE "work".outlast_seq TO "`+r.names.user+`"`)
	r.do(`GRANT USAGE ON SEQUENCE work.outlast_seq TO USER`)
	if err := try(fresh("k"))[0].Err; err != nil {
		t.Error(err)
	}
}

// Who repeats what was inserted, as its answer was lost, and has lost the right
// meanwhile is not told that it was refused.
func TestARepeatWithoutTheRightIsAnswered(t *testing.T) {
	r := newRoles(t)
	g := newGround(t, open(t, r.owner, postgres.WithSchema("work")), 1)
	r.mayWork()
	s := open(t, r.user, postgres.WithSchema("work"), postgres.WithoutMigration())
	first, ids := g.batch(2)
	_, err := s.Enqueue(t.Context(), []store.Batch{first})
	g.ok(err)
	r.do(`REVOKE INSERT ON ALL TABLES IN SCHEMA work FROM USER`)
	second, _ := g.batch(1)
	results, err := s.Enqueue(t.Context(), []store.Batch{first, second})
	g.ok(err)
	g.ok(results[0].Err)
	if items := results[0].Items; len(items) != 2 || items[1].Existing == nil || items[1].Existing.ID != ids[1] {
		t.Errorf("got %+v", items)
	}
	refusedFor(t, results[1].Err, "GRANT SELECT, INSERT")
}

// Where a node cannot make the next days, its probe says until when there is room.
func TestProbeTellsTheDays(t *testing.T) {
	address := servertest.Postgres(t)
	until := func(s *postgres.Store) time.Time {
		t.Helper()
		probe, err := s.Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return probe.Until
	}
	s := open(t, address)
	if got, want := until(s), time.Now().UTC().Truncate(24*time.Hour).Add(8*24*time.Hour); !got.Equal(want) && !got.Equal(want.Add(24*time.Hour)) {
		t.Errorf("room until %s, want %s", got, want)
	}
	p := pool(t, address)
	if _, err := p.Exec(t.Context(), `DO $$ DECLARE p text; BEGIN
FOR p IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'outlast_attempt'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$`); err != nil {
		t.Fatal(err)
	}
	if got := until(s); got.After(time.Now()) || got.IsZero() {
		t.Errorf("without days for attempts: room until %s", got)
	}
}

// A transaction of another database is told from a failure, without our SQL.
func TestTransactionsOfAnotherDatabase(t *testing.T) {
	g := newGround(t, open(t, servertest.Postgres(t), postgres.WithSchema("ours")), 1)
	other := blank.Postgres(t)
	db, err := sql.Open("pgx", other)
	g.ok(err)
	defer db.Close()
	ofSQL, err := db.BeginTx(t.Context(), nil)
	g.ok(err)
	defer ofSQL.Rollback()
	ofPGX, err := pool(t, other).Begin(t.Context())
	g.ok(err)
	defer ofPGX.Rollback(t.Context())
	one := g.task()
	one.Claim, one.Attempt = 1, 1
	for _, tx := range []any{ofSQL, ofPGX} {
		_, enqueue := g.s.EnqueueTx(t.Context(), tx, []store.Insert{{Task: g.task()}})
		_, settle := g.s.SettleTx(t.Context(), tx, store.Settlement{Task: one, Outcome: task.OutcomeSucceeded})
		for _, err := range []error{enqueue, settle} {
			if !errors.Is(err, &task.Error{Code: task.CodeInvalid}) || !strings.Contains(err.Error(), `no tables of Outlast in the schema "ours"`) || strings.Contains(err.Error(), "INSERT") {
				t.Errorf("%T: %v", tx, err)
			}
		}
	}
}

// Tables of our names that are somebody else's are told from a failure.
func TestTablesThatAreNotOurs(t *testing.T) {
	address := servertest.Postgres(t)
	p := pool(t, address)
	do := func(statement string) {
		t.Helper()
		if _, err := p.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"outlast_migration", "outlast_task", "outlast_live"} {
		do("CREATE TABLE " + table + " (number int)")
		s, err := postgres.OpenURL(t.Context(), address)
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) || !strings.Contains(err.Error(), "?schema=NAME") || strings.Contains(err.Error(), "CREATE") {
			t.Errorf("%s: %v, %v", table, s, err)
		}
		open(t, address, postgres.WithSchema("work"))
		do("DROP TABLE " + table)
	}
}

// Who might use the tables before those of steps and of groups came may use them too.
func TestRolesMayUseSteps(t *testing.T) {
	r := newRoles(t)
	open(t, r.owner, postgres.WithSchema("work"))
	r.do(`DROP TABLE work.outlast_step, work.outlast_group, work.outlast_group_count; DELETE FROM work.outlast_migration WHERE version IN (11, 12); GRANT SELECT ON work.outlast_attempt TO PUBLIC`)
	r.mayWork()
	open(t, r.owner, postgres.WithSchema("work"))
	s := open(t, r.user, postgres.WithSchema("work"), postgres.WithoutMigration())
	if _, err := s.PutGroup(t.Context(), task.Group{ID: task.NewID(time.Now(), rand.New(rand.NewPCG(1, 2))), Callback: task.Follow{Type: "x"}}); err != nil {
		t.Error(err)
	}
	g := newGround(t, s, 1)
	running := g.claim(g.add(1)...).Tasks[0]
	g.isAdded(running, 1, store.StatusOK)
	g.steps(running.ID, 1)
	var all bool
	if err := r.admin.QueryRow(t.Context(), `SELECT has_table_privilege('public', 'work.outlast_step', 'SELECT') AND NOT has_table_privilege('public', 'work.outlast_step', 'INSERT')`).Scan(&all); err != nil || !all {
		t.Errorf("the rights of all are others: %v", err)
	}
	if days, _ := r.days(); days != 3*8 {
		t.Errorf("%d partitions", days)
	}
}
