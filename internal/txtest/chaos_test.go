package txtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/task"
)

// fragile is a kind on a server of the test's own.
type fragile struct {
	kind   kind
	server func(t testing.TB, options ...servers.Option) *servers.Server
	on     func(t testing.TB, admin string) string
	driver string
	// victims lists the connections to the database, kill ends one of them.
	victims, kill string
}

var fragiles = []fragile{
	{postgresKind, servertest.PostgresServer, servertest.PostgresDatabase, "pgx",
		`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`, `SELECT pg_terminate_backend(%d)`},
	{pgxKind, servertest.PostgresServer, servertest.PostgresDatabase, "pgx",
		`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`, `SELECT pg_terminate_backend(%d)`},
	{mariadbKind, servertest.MariaDBServer, servertest.MariaDBDatabase, "mysql",
		`SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()`, `KILL %d`},
}

// While connections are killed at random, answers to COMMIT are lost and the
// server is restarted without warning, every task that completes itself has
// its effect once.
func TestCompleteUnderFire(t *testing.T) {
	for _, f := range fragiles {
		t.Run(f.kind.name, func(t *testing.T) {
			t.Parallel()
			server := f.server(t, servers.Durable())
			f.kind.address = func(t testing.TB) string { return f.on(t, server.DSN(adminOf[f.driver])) }
			s := newShop(t, f.kind)
			f.underFire(s, server)
		})
	}
}

var adminOf = map[string]string{"pgx": "postgres", "mysql": ""}

func (f *fragile) underFire(s *shop, server *servers.Server) {
	const tasks, restarts = 150, 2
	handle := func(c *outlast.Client) {
		outlast.Handle(c, "pay", func(ctx context.Context, _ none) error {
			info, _ := outlast.Info(ctx)
			return s.somehow(ctx, rand.New(rand.NewPCG(1, uint64(info.Claim))))
		}, quick(1000))
	}
	nodes := []*outlast.Client{s.node(handle), s.node(handle)}
	var ids []outlast.ID
	for range tasks {
		ids = append(ids, s.enqueue(nodes[0], outlast.Draft{Type: "pay"}))
	}
	admin, err := sql.Open(f.driver, s.db.address)
	s.ok(err)
	defer admin.Close()
	random := rand.New(rand.NewPCG(2, 3))
	killed := 0
	for i := range 30 {
		killed += f.shoot(s.ctx, admin, random)
		if i%3 == 0 {
			s.loseAnswer()
		}
		if i%12 == 11 && i/12 < restarts {
			s.ok(server.Restart(s.ctx, servers.Immediate))
		}
		s.pause(time.Duration(50+random.IntN(200)) * time.Millisecond)
	}
	var group sync.WaitGroup
	for _, id := range ids {
		group.Go(func() { s.endsPaidOnce(nodes[0], id) })
	}
	group.Wait()
	s.Logf("%d connections were killed", killed)
	if killed == 0 {
		s.Error("no connection was killed")
	}
}

// shoot kills some of the connections, and counts them.
func (f *fragile) shoot(ctx context.Context, admin *sql.DB, random *rand.Rand) (killed int) {
	for _, id := range f.targets(ctx, admin) {
		if random.IntN(3) > 0 {
			continue
		}
		if _, err := admin.ExecContext(ctx, fmt.Sprintf(f.kill, id)); err == nil {
			killed++
		}
	}
	return killed
}

// targets lists the connections; none while the server is not there.
func (f *fragile) targets(ctx context.Context, admin *sql.DB) (all []int64) {
	rows, err := admin.QueryContext(ctx, f.victims)
	if err != nil {
		return nil
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		if rows.Scan(&id) == nil {
			all = append(all, id)
		}
	}
	if rows.Err() != nil {
		return nil
	}
	return all
}

// somehow pays in one of several ways, and ends in one of several ways. It
// returns nil without having paid only after it has asked for a completion.
func (s *shop) somehow(ctx context.Context, random *rand.Rand) error {
	asked := false
	work := func(ctx context.Context, t tx) error {
		if err := effect(ctx, t, 1); err != nil {
			return err
		}
		asked = true
		return t.complete(ctx, "paid")
	}
	var err error
	switch random.IntN(3) {
	case 0:
		err = s.retried(ctx, work)
	case 1:
		err = inTx(ctx, s, func(t tx) error { return errors.Join(work(ctx, t), errRefused) })
	default:
		err = inTx(ctx, s, func(t tx) error { return work(ctx, t) })
	}
	switch way := random.IntN(4); {
	case way == 0 && asked:
		return nil // whatever it was
	case way == 1:
		return errors.Join(err, errRefused)
	}
	return err
}

// endsPaidOnce is paidOnce where the database may still be coming back.
func (s *shop) endsPaidOnce(client *outlast.Client, id outlast.ID) {
	for {
		done, err := client.Wait(s.ctx, id)
		n := 0
		if err == nil {
			n, err = s.number(s.ctx, `SELECT count(*) FROM effect WHERE task = ?`, id.String())
		}
		if err == nil || s.ctx.Err() != nil {
			if err != nil || done.State != task.Succeeded || n != 1 {
				s.Errorf("task %s: %v, %d effects: %+v", id, err, n, done)
			}
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-s.ctx.Done():
		}
	}
}
