package bulk

import (
	"context"
	"database/sql"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// aliveNode is a node that is alone.
type aliveNode struct{}

func (aliveNode) Node() string { return "n" }
func (aliveNode) Topology() *store.Topology {
	return &store.Topology{Nodes: []store.Node{{ID: "n", State: store.NodeAlive}}}
}

var databases = map[string]func(testing.TB) store.Backend{"sqlite": openSQLite, "postgres": openPostgres, "mariadb": openMariaDB}

func openSQLite(tb testing.TB) store.Backend {
	tb.Helper()
	backend, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "outlast.db"))
	must(tb, err)
	return closing(tb, backend)
}

func openPostgres(tb testing.TB) store.Backend {
	tb.Helper()
	pool, err := pgxpool.New(tb.Context(), servertest.Postgres(tb))
	must(tb, err)
	tb.Cleanup(pool.Close)
	backend, err := postgres.Open(tb.Context(), pool)
	must(tb, err)
	must(tb, backend.Migrate(tb.Context()))
	return closing(tb, backend)
}

func openMariaDB(tb testing.TB) store.Backend {
	tb.Helper()
	db, err := sql.Open("mysql", servertest.MariaDB(tb)+"?clientFoundRows=true")
	must(tb, err)
	tb.Cleanup(func() { _ = db.Close() })
	backend, err := mysql.Open(tb.Context(), db)
	must(tb, err)
	return closing(tb, backend)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func closing(tb testing.TB, backend store.Backend) store.Backend {
	tb.Cleanup(func() {
		if err := backend.Close(); err != nil {
			tb.Error(err)
		}
	})
	return backend
}

// fill enqueues tasks that wait, with 100 bytes of payload.
func fill(tb testing.TB, backend store.Backend, count int) {
	tb.Helper()
	queue, err := backend.PutQueue(tb.Context(), store.Queue{Name: "q", Lanes: 8})
	must(tb, err)
	random, payload := rand.New(rand.NewPCG(1, 2)), make([]byte, 100)
	for made := 0; made < count; made += 1000 {
		items := make([]store.Insert, min(1000, count-made))
		for i := range items {
			id := task.NewID(time.Now(), random).WithLane(queue.Numbers[i%len(queue.Numbers)])
			items[i] = store.Insert{Delay: time.Hour, Task: &task.Task{ID: id, Queue: "q", Type: "mail", Target: "mail", Payload: payload}}
		}
		results, err := backend.Enqueue(tb.Context(), []store.Batch{{Items: items}})
		must(tb, err)
		must(tb, results[0].Err)
	}
}

// doAll does an action to all tasks by an operation, and returns how long that took,
// from the request to the end of the operation.
func doAll(tb testing.TB, backend store.Backend, action inspect.BulkAction, count int) time.Duration {
	tb.Helper()
	r := New(Config{Backend: backend, Node: aliveNode{}, Log: slog.New(slog.DiscardHandler), Steered: func([]store.Steered) {}})
	r.Start(tb.Context())
	defer func() { must(tb, r.Stop(context.Background())) }()
	start := time.Now()
	result, err := r.Do(tb.Context(), inspect.BulkRequest{Action: action, Filter: &store.Filter{Type: "mail"}}, store.Audit{Action: "task." + string(action)})
	must(tb, err)
	if result.Matched != count {
		tb.Fatalf("got %+v", result)
	}
	for {
		r.Look() // it may have begun before the runner did
		o, err := backend.Operation(tb.Context(), result.Operation)
		must(tb, err)
		if o.State == store.OperationDone {
			if progress, _ := ProgressOf(o); progress.Changed != count || progress.Skipped != 0 {
				tb.Fatalf("got %+v", progress)
			}
			return time.Since(start)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// BenchmarkBulk retries and then cancels 100 000 tasks, each by one operation: look at
// tasks/s.
func BenchmarkBulk(b *testing.B) {
	const count = 100_000
	for name, open := range databases {
		for _, action := range []inspect.BulkAction{inspect.BulkRetry, inspect.BulkCancel} {
			b.Run(name+"/"+string(action), func(b *testing.B) {
				var total time.Duration
				for range b.N {
					backend := open(b)
					fill(b, backend, count)
					total += doAll(b, backend, action, count)
				}
				b.ReportMetric(float64(count)*float64(b.N)/total.Seconds(), "tasks/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// TestBulkTakesManyAtOnce crosses the bounds of chunks: tasks are listed by pages and
// changed by batches.
func TestBulkTakesManyAtOnce(t *testing.T) {
	const count = 2*operation.ChunkSize + 100
	backend, calls := faulty.Wrap(openSQLite(t), 1)
	fill(t, backend, count)
	doAll(t, backend, inspect.BulkCancel, count)
	const some = 5 // to look first, and to find the end
	if lists, changes := calls.Calls("Find"), calls.Calls("Steer"); lists > count/operation.PageSize+some || changes > count/batchSize+some {
		t.Errorf("%d tasks in %d lists and %d changes", count, lists, changes)
	}
}
