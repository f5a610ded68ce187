package faulttest

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/task"
)

// takeover is how soon the tasks of a node that is gone run on another one.
const takeover = 10 * time.Second

// planted are statements: some once, some for each table (%[1]s).
type planted struct{ once, each []string }

// dialect is what differs between database servers.
type dialect struct {
	name     string
	driver   string
	start    func(testing.TB, ...servers.Option) *servers.Server
	database func(testing.TB, *servers.Server) (dsn string) // an empty one, on the server of the run for nil
	reached  func(dsn string) (address, url string, err error)

	connections string                             // all but one's own, in random order
	listening   string                             // of these, those that listen for wake-ups; "" where none does
	kill        string                             // ends one
	plant, calm planted                            // statements that make others fail now and then, and that end it
	locked      string                             // locks one row of tasks
	chance      string                             // a random number
	schema      string                             // the one in use
	size        string                             // bytes of the tables of live tasks
	system      func(*servers.Server) (dsn string) // a database that no node uses
}

var dialects = []dialect{
	{
		name: "postgres", driver: "pgx", start: servertest.PostgresServer,
		database: func(t testing.TB, s *servers.Server) string {
			if s == nil {
				return servertest.Postgres(t)
			}
			return servertest.PostgresDatabase(t, s.URL("postgres"))
		},
		reached: func(dsn string) (string, string, error) {
			u, err := url.Parse(dsn)
			if err != nil {
				return "", "", err
			}
			return u.Host, dsn, nil
		},
		connections: "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by random()",
		listening:   "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen%' order by random()",
		kill:        "select pg_terminate_backend(%d)",
		plant: planted{
			once: []string{`create function fault_conflict() returns trigger language plpgsql as $$ begin
			if random() < 0.02 then raise exception 'planted deadlock' using errcode = '40P01'; end if;
			if random() < 0.02 then raise exception 'planted conflict' using errcode = '40001'; end if;
			return null; end $$`},
			each: []string{`create trigger fault_conflict after insert or update or delete on %[1]s for each statement execute function fault_conflict()`},
		},
		calm:   planted{once: []string{`drop function fault_conflict cascade`}},
		locked: "select 1 from outlast_task where lane = $1 and id = $2 for update",
		chance: "random()", schema: "current_schema()",
		size:   "select sum(pg_total_relation_size(relid))::bigint from pg_stat_user_tables where relname in ('outlast_task', 'outlast_run', 'outlast_lane', 'outlast_node', 'outlast_dedupe', 'outlast_key_hold')",
		system: func(s *servers.Server) string { return s.URL("postgres") },
	},
	{
		name: "mariadb", driver: "mysql", start: servertest.MariaDBServer,
		database: func(t testing.TB, s *servers.Server) string {
			if s == nil {
				return servertest.MariaDB(t)
			}
			return servertest.MariaDBDatabase(t, s.DSN(""))
		},
		reached: func(dsn string) (string, string, error) {
			to, err := mysql.ParseDSN(dsn)
			if err != nil {
				return "", "", err
			}
			u := url.URL{Scheme: "mysql", User: url.User(to.User), Host: to.Addr, Path: "/" + to.DBName}
			if to.Passwd != "" {
				u.User = url.UserPassword(to.User, to.Passwd)
			}
			return to.Addr, u.String(), nil
		},
		connections: "select id from information_schema.processlist where db = database() and id <> connection_id() order by rand()",
		kill:        "kill %d",
		plant: planted{each: []string{
			`create trigger fault_%[1]s_i before insert on %[1]s for each row if rand() < 0.005 then signal sqlstate '40001' set mysql_errno = 1213; end if`,
			`create trigger fault_%[1]s_u before update on %[1]s for each row if rand() < 0.005 then signal sqlstate '40001' set mysql_errno = 1213; end if`,
			`create trigger fault_%[1]s_d before delete on %[1]s for each row if rand() < 0.005 then signal sqlstate '40001' set mysql_errno = 1213; end if`,
		}},
		calm:   planted{each: []string{`drop trigger fault_%[1]s_i`, `drop trigger fault_%[1]s_u`, `drop trigger fault_%[1]s_d`}},
		locked: "select 1 from outlast_task where lane = ? and id = ? for update",
		chance: "rand()", schema: "database()",
		size:   "select cast(sum(data_length + index_length) as signed) from information_schema.tables where table_schema = database() and table_name in ('outlast_task', 'outlast_run', 'outlast_lane', 'outlast_node', 'outlast_dedupe', 'outlast_key_hold')",
		system: func(s *servers.Server) string { return s.DSN("mysql") },
	},
	{name: "sqlite"}, // one file: processes can be hurt, a server and a network there are not
}

// cluster is three nodes on one database, each a process with a network of its own.
type cluster struct {
	*harness
	dialect
	server  *servers.Server // its own; nil on the one of the run, and for a file
	address string          // of the server; "" for a file
	admin   *sql.DB         // past all proxies
	shape   func(*nodeConfig)
	members []*member
	lives   int
	round   int

	taken []time.Duration // times from a fault to the new run, one per task
	early time.Duration   // the smallest time from the end of the old run to the new one
}

// member is one node. What it is called changes with every process.
type member struct {
	net  *proxy
	life atomic.Pointer[process]
	down atomic.Bool // everybody knows that it is gone
}

func (m *member) process() *process { return m.life.Load() }
func (m *member) name() string      { return m.process().name }

// newCluster is for one scenario on the server of the run, beside others.
func newCluster(t testing.TB, d dialect, shape func(*nodeConfig)) *cluster {
	t.Helper()
	return &cluster{harness: newHarness(t), dialect: d, shape: shape, early: time.Hour}
}

// alone starts a server for one scenario, which may hurt it.
func (c *cluster) alone(options ...servers.Option) *cluster {
	c.Helper()
	if c.start != nil {
		c.server = c.start(c, options...)
	}
	return c
}

// begin goes on with a new database, a new ledger and new nodes.
func (c *cluster) begin() {
	c.Helper()
	c.renew()
	if c.start != nil {
		c.onServer()
	}
	c.members = nil
	for range 3 {
		m := &member{}
		if c.address != "" {
			m.net = newProxy(c, c.address)
		}
		c.members = append(c.members, m)
		c.enter(m)
	}
	c.balanced()
}

// onServer makes a database on the server.
func (c *cluster) onServer() {
	c.Helper()
	dsn := c.database(c, c.server)
	admin, err := sql.Open(c.driver, dsn)
	if err != nil {
		c.Fatal(err)
	}
	admin.SetMaxIdleConns(4) // it must not depend on the connections that a server has left
	admin.SetMaxOpenConns(4)
	c.Cleanup(func() { admin.Close() })
	c.admin = admin
	if c.address, c.store, err = c.reached(dsn); err != nil {
		c.Fatal(err)
	}
}

// enter starts the process of a member.
func (c *cluster) enter(m *member) {
	c.Helper()
	c.lives++
	config := nodeConfig{Name: fmt.Sprintf("node-%d", c.lives)}
	if m.net != nil {
		config.Store = strings.Replace(c.store, c.address, m.net.address(), 1)
	}
	if c.shape != nil {
		c.shape(&config)
	}
	p, err := c.tryNode(config)
	for tries := 1; config.Faults != nil && err != nil && tries < 20; tries++ {
		config.Faults.Seed++ // a program that does not start is started again
		p, err = c.tryNode(config)
	}
	m.life.Store(c.started(p, err))
	m.down.Store(false)
}

// balanced waits until every node has lanes.
func (c *cluster) balanced() {
	c.Helper()
	c.waitUntil(20*time.Second, "every node owns lanes", func() bool {
		for _, m := range c.members {
			if c.lanesOf(m.process()) < 1 {
				return false
			}
		}
		return true
	})
}

// finished kills the nodes and compares what is left with the ledger.
func (c *cluster) finished() {
	c.Helper()
	var processes []*process
	for _, m := range c.members {
		processes = append(processes, m.process())
	}
	c.after(true, processes...)
}

// any is a node that callers take for alive.
func (c *cluster) any(random *rand.Rand) *member {
	for {
		if m := c.members[random.IntN(len(c.members))]; !m.down.Load() {
			return m
		}
	}
}

// deliver hands an order in, by one node after the other, until it is acknowledged
// or the context ends.
func (c *cluster) deliver(ctx context.Context, o *order, random *rand.Rand) bool {
	for c.sendWithin(c.any(random).process(), o, 3*time.Second) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return true
}

// clusterPace is the time between two tasks of each caller.
func clusterPace() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("OUTLAST_FAULT_PACE")); err == nil && d > 0 {
		return d
	}
	return 100 * time.Millisecond
}

// busy keeps the nodes busy until the function that it returns is called.
func (c *cluster) busy() (rest func()) {
	const workers = 4
	c.round++
	ctx, stop := context.WithCancel(c.ctx)
	l := load{kind: "work"}
	var all sync.WaitGroup
	for worker := range workers {
		random := rand.New(rand.NewPCG(seed(), uint64(c.round)<<16|uint64(worker)))
		all.Go(func() {
			pace := time.NewTicker(clusterPace())
			defer pace.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-pace.C:
				}
				o := c.ledger.order(l.work(random), func(o *order) { l.shape(o, worker, random) })
				if !c.deliver(ctx, o, random) {
					return // known only after the fault
				}
				if o.draft.DedupeKey != "" {
					_ = c.again(c.any(random).process(), o) // in the middle of a fault
				}
			}
		})
	}
	return func() { stop(); all.Wait() }
}

// settled brings everything to its end while the nodes live, and compares the
// database with the ledger.
func (c *cluster) settled() {
	c.Helper()
	c.ledger.openGates()
	ctx, cancel := context.WithTimeout(c.ctx, bound(30*time.Second))
	defer cancel()
	for _, o := range c.ledger.unknown() {
		if !c.deliver(ctx, o, c.random) {
			c.violation("I1: order %d is not accepted after the fault", o.N)
			return
		}
	}
	if !c.drain(c.members[0].process(), 30*time.Second) {
		return
	}
	c.check(true)
}

// held hands in tasks that run until a gate is opened, and waits until they do.
func (c *cluster) held(n int) []*order {
	c.Helper()
	c.ledger.shutGates()
	orders := make([]*order, n)
	for i := range orders {
		orders[i] = c.ledger.order(work{Millis: -1}, func(o *order) {
			o.draft.Type, o.attempts = "work", 3
			o.draft.Retry = policy(30*time.Millisecond, 3, `,"max_crashes":1000`)
		})
		c.deliver(c.ctx, orders[i], c.random)
	}
	c.waitUntil(15*time.Second, "the held tasks run", func() bool {
		for _, o := range orders {
			if len(c.ledger.callsOf(o.N)) == 0 {
				return false
			}
		}
		return true
	})
	return orders
}

// takenFrom waits until the tasks that ran on a node run on others, and measures it.
// It returns these tasks.
func (c *cluster) takenFrom(m *member, orders []*order, since time.Time) (taken []*order) {
	c.Helper()
	name := m.name()
	for _, o := range orders {
		if calls := c.ledger.callsOf(o.N); len(calls) > 0 && calls[len(calls)-1].node == name {
			taken = append(taken, o)
		}
	}
	if len(taken) == 0 {
		c.violation("none of %d tasks ran on %s", len(orders), name)
		return nil
	}
	elsewhere := func(o *order) (call, call, bool) {
		calls := c.ledger.callsOf(o.N)
		last := len(calls) - 1
		return calls[max(0, last-1)], calls[last], calls[last].node != name
	}
	c.promised(bound(takeover)-time.Since(since), fmt.Sprintf("%d tasks of %s run elsewhere", len(taken), name), func() bool {
		for _, o := range taken {
			if _, _, runs := elsewhere(o); !runs {
				return false
			}
		}
		return true
	})
	for _, o := range taken {
		before, now, runs := elsewhere(o)
		if !runs {
			continue
		}
		c.taken = append(c.taken, now.start.Sub(since))
		if before.node == name && !before.end.IsZero() {
			c.early = min(c.early, now.start.Sub(before.end))
		}
	}
	return taken
}

// expectRunning demands that tasks still run, whatever came late.
func (c *cluster) expectRunning(orders []*order, why string) {
	c.Helper()
	for _, o := range orders {
		if now := c.has(c.any(c.random).process(), o.id); now.State != task.Running {
			c.violation("I3: order %d is %s after %s", o.N, now.State, why)
		}
	}
}

// tables are those of the store that hold tasks.
func (c *cluster) tables() (names []string) {
	c.Helper()
	rows, err := readRows(c.ctx, c.admin, `select table_name from information_schema.tables where table_schema = `+c.schema+`
		and table_name in ('outlast_task', 'outlast_run', 'outlast_done', 'outlast_dead', 'outlast_attempt', 'outlast_step', 'outlast_lane', 'outlast_dedupe')`)
	if err != nil {
		c.Fatal(err)
	}
	for _, row := range rows {
		names = append(names, fmt.Sprintf("%s", row[0]))
	}
	return names
}

// session is a pool, a connection or a transaction.
type session interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

// readRows reads all that a query answers.
func readRows(ctx context.Context, on session, query string) (all [][]any, err error) {
	rows, err := on.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			places[i] = &row[i]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
