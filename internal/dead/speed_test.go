package dead

import (
	"context"
	"database/sql"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
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

func (aliveNode) Wake(...uint16) {}
func (aliveNode) Node() string   { return "n" }
func (aliveNode) Topology() *store.Topology {
	return &store.Topology{Nodes: []store.Node{{ID: "n", State: store.NodeAlive}}}
}

func openSQLite(tb testing.TB) store.Backend {
	tb.Helper()
	backend, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "outlast.db"))
	if err != nil {
		tb.Fatal(err)
	}
	return closing(tb, backend)
}

func openPostgres(tb testing.TB) store.Backend {
	tb.Helper()
	pool, err := pgxpool.New(tb.Context(), servertest.Postgres(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(pool.Close)
	backend, err := postgres.Open(tb.Context(), pool)
	if err != nil {
		tb.Fatal(err)
	}
	if err := backend.Migrate(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return closing(tb, backend)
}

func openMariaDB(tb testing.TB) store.Backend {
	tb.Helper()
	db, err := sql.Open("mysql", servertest.MariaDB(tb)+"?clientFoundRows=true")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	backend, err := mysql.Open(tb.Context(), db)
	if err != nil {
		tb.Fatal(err)
	}
	return closing(tb, backend)
}

func closing(tb testing.TB, backend store.Backend) store.Backend {
	tb.Cleanup(func() {
		if err := backend.Close(); err != nil {
			tb.Error(err)
		}
	})
	return backend
}

// bury makes dead letters of one attempt with 100 bytes of payload.
func bury(tb testing.TB, backend store.Backend, count int) {
	tb.Helper()
	ctx := tb.Context()
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	must(backend.Join(ctx, store.Node{ID: "n"}))
	queue, err := backend.PutQueue(ctx, store.Queue{Name: "q", Lanes: 8})
	must(err)
	var lanes []store.LaneEpoch
	for _, number := range queue.Numbers {
		lanes = append(lanes, store.LaneEpoch{Lane: number})
	}
	lanes, err = backend.TakeLanes(ctx, "n", lanes)
	must(err)
	random, payload := rand.New(rand.NewPCG(1, 2)), make([]byte, 100)
	failure := &task.Failure{Category: "permanent", Message: "410 Gone", Fingerprint: "f", At: time.Now()}
	for made := 0; made < count; made += 1000 {
		items := make([]store.Insert, min(1000, count-made))
		claim := store.Claim{Node: "n", Lanes: lanes}
		for i := range items {
			id := task.NewID(time.Now(), random).WithLane(lanes[i%len(lanes)].Lane)
			items[i].Task = &task.Task{ID: id, Queue: "q", Type: "mail", Target: "mail", Payload: payload}
			claim.Items = append(claim.Items, store.ClaimItem{ID: id})
		}
		results, err := backend.Enqueue(ctx, []store.Batch{{Items: items}})
		must(err)
		must(results[0].Err)
		claimed, err := backend.Claim(ctx, claim)
		must(err)
		settlements := make([]store.Settlement, len(claimed.Tasks))
		for i, t := range claimed.Tasks {
			settlements[i] = store.Settlement{Task: t, Outcome: task.OutcomeDead, StartedAt: time.Now(), EndedAt: time.Now(),
				Failure: failure, DeadReason: task.Permanent}
		}
		_, err = backend.Settle(ctx, settlements)
		must(err)
	}
}

// redriveAll sends all letters back by an operation, and returns how long that
// took, from the request to the end of the operation.
func redriveAll(tb testing.TB, backend store.Backend, count int) time.Duration {
	tb.Helper()
	r := newRedriver(backend, aliveNode{}, slog.New(slog.NewJSONHandler(nothing{}, nil)))
	ended := make(chan *store.Operation, 1)
	r.WhenEnded(func(o *store.Operation) { ended <- o })
	ctx, stop := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	defer running.Wait()
	defer stop()
	start := time.Now()
	result, err := r.Redrive(ctx, inspect.RedriveRequest{Filter: &store.Filter{Type: "mail"}}, store.Audit{Action: "dead.redrive"})
	if err != nil || result.Matched != count {
		tb.Fatalf("got %+v, %v", result, err)
	}
	r.Look() // it may have begun before run did
	o := <-ended
	took := time.Since(start)
	if progress, _ := ProgressOf(o); o.State != store.OperationDone || progress.Sent != count {
		tb.Fatalf("got %+v", o)
	}
	return took
}

// nothing takes log lines that are made and thrown away.
type nothing struct{}

func (nothing) Write(line []byte) (int, error) { return len(line), nil }

var databases = map[string]func(testing.TB) store.Backend{"sqlite": openSQLite, "postgres": openPostgres, "mariadb": openMariaDB}

// BenchmarkRedrive sends 100 000 dead letters back by one operation without a
// rate, logged at INFO: look at letters/s.
func BenchmarkRedrive(b *testing.B) {
	const count = 100_000
	for name, open := range databases {
		b.Run(name, func(b *testing.B) {
			var total time.Duration
			for range b.N {
				backend := open(b)
				bury(b, backend, count)
				total += redriveAll(b, backend, count)
			}
			b.ReportMetric(float64(count)*float64(b.N)/total.Seconds(), "letters/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestRedriveTakesManyAtOnce crosses the bounds of chunks: letters are listed by pages
// and sent by batches.
func TestRedriveTakesManyAtOnce(t *testing.T) {
	const count = 2*operation.ChunkSize + 100
	backend, calls := faulty.Wrap(openSQLite(t), 1)
	bury(t, backend, count)
	redriveAll(t, backend, count)
	const some = 5 // to look first, and to find the end
	if lists, batches := calls.Calls("Letters"), calls.Calls("Redrive"); lists > count/lettersPage+some || batches > count/redriveBatch+some {
		t.Errorf("%d letters in %d lists and %d batches", count, lists, batches)
	}
}
