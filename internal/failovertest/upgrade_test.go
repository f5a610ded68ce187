//go:build unix

package failovertest

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/historytest"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/store/storetest"
)

// place is a database that a newer release migrates.
type place struct {
	*testing.T
	db     *sql.DB // past the stores
	tables string  // a query that lists them
	store  func(ctx context.Context) (store.Backend, error)
}

func places(t *testing.T, test func(p *place)) {
	t.Parallel()
	open := func(t *testing.T, driver, dsn string) *sql.DB {
		db, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "outlast.db")
		test(&place{
			T: t, db: open(t, "sqlite3", "file:"+path+"?_pragma=busy_timeout(10000)"),
			tables: `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'outlast\_%' ESCAPE '\'`,
			store:  func(ctx context.Context) (store.Backend, error) { return sqlite.Open(ctx, path) },
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := servertest.Postgres(t)
		test(&place{
			T: t, db: open(t, "pgx", url),
			tables: `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relname LIKE 'outlast\_%'`,
			store:  func(ctx context.Context) (store.Backend, error) { return postgres.OpenURL(ctx, url) },
		})
	})
	t.Run("MariaDB", func(t *testing.T) {
		t.Parallel()
		db := open(t, "mysql", servertest.MariaDB(t))
		test(&place{
			T: t, db: db,
			tables: `SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' AND table_name LIKE 'outlast\_%'`,
			store:  func(ctx context.Context) (store.Backend, error) { return mysql.Open(ctx, db) },
		})
	})
}

func (p *place) do(statement string) {
	p.Helper()
	if _, err := p.db.ExecContext(p.Context(), statement); err != nil {
		p.Fatalf("%v in %s", err, statement)
	}
}

// ahead does what a release may do that knows one migration more: a column
// with a default, and one that may be null, in every table, an index and a
// table.
func (p *place) ahead() {
	p.Helper()
	rows, err := p.db.QueryContext(p.Context(), p.tables)
	if err != nil {
		p.Fatal(err)
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			p.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil || len(tables) < 10 {
		p.Fatal(err, tables)
	}
	for _, name := range tables {
		p.do("ALTER TABLE " + name + " ADD COLUMN later bigint NOT NULL DEFAULT 7")
		if !strings.HasSuffix(name, "migration") {
			p.do("ALTER TABLE " + name + " ADD COLUMN even_later bigint")
		}
	}
	p.do("CREATE INDEX outlast_task_later ON outlast_task (later)")
	p.do("CREATE TABLE outlast_later (a bigint PRIMARY KEY)")
	p.record(1)
}

// record says that the database has so many migrations more than this program
// knows.
func (p *place) record(more int) {
	p.Helper()
	var newest int
	if err := p.db.QueryRowContext(p.Context(), "SELECT max(version) FROM outlast_migration WHERE name <> 'later'").Scan(&newest); err != nil {
		p.Fatal(err)
	}
	columns, values := "version, name, applied_at", fmt.Sprintf("%d, 'later', 1", newest+more)
	if strings.HasSuffix(p.Name(), "/MariaDB") {
		columns, values = columns+", done", values+", 1"
	}
	p.do("INSERT INTO outlast_migration (" + columns + ") VALUES (" + values + ")")
}

// node starts a node of this release.
func (p *place) node(handle func(ctx context.Context, n int) error) *outlast.Client {
	p.Helper()
	backend, err := p.store(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := backend.Close(); err != nil {
			p.Error(err)
		}
	})
	client, err := outlast.Open(p.Context(), backend, outlast.WithLogger(slog.New(slog.DiscardHandler)), outlast.WithSlots(30))
	if err != nil {
		p.Fatal(err)
	}
	outlast.Handle(client, "work", handle, outlast.Interval(50*time.Millisecond), outlast.MaxAttempts(20))
	if err := client.Start(p.Context()); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := client.Stop(context.WithoutCancel(p.Context())); err != nil {
			p.Error(err)
		}
	})
	return client
}

// TestNeighbouringReleasesRunTogether: two nodes work while a newer release
// migrates the database under them; a third node of the old release joins
// after that. Nothing is lost, refused or run without need.
func TestNeighbouringReleasesRunTogether(t *testing.T) {
	places(t, func(p *place) {
		var queue historytest.Queue
		handle := func(ctx context.Context, n int) error {
			info, _ := outlast.Info(ctx)
			queue.Ran(info.ID, info.Claim)
			if n%10 == 0 && info.Attempt == 1 {
				return fmt.Errorf("the first attempt of %d fails", n)
			}
			return nil
		}
		nodes := []*outlast.Client{p.node(handle), p.node(handle)}
		loaded, stop := context.WithCancel(p.Context())
		var wait sync.WaitGroup
		var accepted atomic.Int64
		under := func(span time.Duration, tasks int64) { // load for a while, and at least so many tasks
			for began := time.Now(); accepted.Load() < tasks || time.Since(began) < span; time.Sleep(5 * time.Millisecond) { // sleep: real servers
				if time.Since(began) > patience {
					p.Fatalf("%d tasks were accepted in %s", accepted.Load(), patience)
				}
			}
		}
		load := func(node *outlast.Client, from int) {
			wait.Go(func() {
				for n := from; loaded.Err() == nil; n++ {
					id := outlast.NewID()
					queue.Sending(id)
					receipt, err := node.Enqueue(context.WithoutCancel(loaded), outlast.Draft{ID: id, Type: "work", Payload: []byte(strconv.Itoa(n)), Key: key(n)})
					if err != nil {
						p.Errorf("enqueue: %v", err)
						return
					}
					queue.Acknowledged(receipt.Task.ID)
					accepted.Add(1)
					time.Sleep(3 * time.Millisecond) // sleep: some hundred tasks a second are enough
				}
			})
		}
		load(nodes[0], 0)
		load(nodes[1], 100_000)
		under(500*time.Millisecond, 50)
		p.ahead()
		load(p.node(handle), 200_000)
		under(time.Second, 2*accepted.Load()+50)
		stop()
		wait.Wait()
		control, err := p.store(p.Context())
		if err != nil {
			p.Fatal(err)
		}
		defer control.Close()
		c := &cluster{pair: &pair{T: p.T}}
		c.one = control
		c.drain(p.Context())
		sum, wrong, err := queue.Check(p.Context(), control, "default", true)
		if err != nil {
			p.Fatal(err)
		}
		for _, finding := range wrong {
			p.Error(finding)
		}
		if sum.Acknowledged != sum.Sent || sum.Sent < 100 {
			p.Errorf("%d of %d tasks were acknowledged", sum.Acknowledged, sum.Sent)
		}
		p.Logf("%+v", sum)
		storetest.CheckInvariants(p.T, control)
	})
}

// TestEveryStatementWorksOneMigrationAhead compares a store on the schema of
// the next release with the reference.
func TestEveryStatementWorksOneMigrationAhead(t *testing.T) {
	places(t, func(p *place) {
		first, err := p.store(p.Context())
		if err != nil {
			p.Fatal(err)
		}
		if err := first.Close(); err != nil {
			p.Fatal(err)
		}
		p.ahead()
		tested, err := p.store(p.Context())
		if err != nil {
			p.Fatal(err)
		}
		defer tested.Close()
		storetest.RunModel(p.T, memory.New(), tested)
		p.record(2)
		if _, err := p.store(p.Context()); err == nil || !strings.Contains(err.Error(), "update the program") {
			p.Errorf("two migrations ahead: %v", err)
		}
	})
}
