package txtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/task"
)

// fragile are kinds on a server of the test's own.
type fragile struct {
	kinds  []kind
	server func(t testing.TB, options ...servers.Option) *servers.Server
	on     func(t testing.TB, admin string) string
	driver string
	admin  string // the database to connect to for others
	// victims lists the connections to the database, kill ends one of them.
	victims, kill string
}

var fragiles = map[string]fragile{
	"postgres": {[]kind{postgresKind, pgxKind}, servertest.PostgresServer, servertest.PostgresDatabase, "pgx", "postgres",
		`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`, `SELECT pg_terminate_backend(%d)`},
	"mariadb": {[]kind{mariadbKind}, servertest.MariaDBServer, servertest.MariaDBDatabase, "mysql", "",
		`SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()`, `KILL %d`},
}

// rounds is how often there is fire, with a restart of the server in twelve; make faults
// asks for more.
func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("OUTLAST_FIRE_ROUNDS")); err == nil {
		return n
	}
	return 12
}

// While connections are killed at random, answers to COMMIT are lost and the
// server is restarted without warning, every task that completes itself has
// its effect once.
func TestCompleteUnderFire(t *testing.T) {
	t.Parallel()
	for name, f := range fragiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := f.server(t)
			var targets []*target
			for _, k := range f.kinds {
				k.filled = func(t testing.TB) string {
					address := f.on(t, server.DSN(f.admin))
					fill(t, address, k.store, k.pool)
					return address
				}
				targets = append(targets, f.newTarget(newShop(t, k)))
			}
			f.fire(targets, server)
			for _, one := range targets {
				one.ended()
			}
		})
	}
}

// target is a shop under fire.
type target struct {
	*shop
	front  *outlast.Client
	ids    []outlast.ID
	admin  *sql.DB
	killed int
}

func (f *fragile) newTarget(s *shop) *target {
	handle := func(c *outlast.Client) {
		outlast.Handle(c, "pay", func(ctx context.Context, _ none) error {
			info, _ := outlast.Info(ctx)
			return s.somehow(ctx, rand.New(rand.NewPCG(1, uint64(info.Claim))))
		}, quick(1000))
	}
	one := &target{shop: s, front: s.node(handle)}
	s.node(handle)
	for range 10 * rounds() {
		one.ids = append(one.ids, s.enqueue(one.front, outlast.Draft{Type: "pay"}))
	}
	var err error
	one.admin, err = sql.Open(f.driver, s.db.address)
	s.ok(err)
	s.Cleanup(func() { _ = one.admin.Close() })
	return one
}

// fire hurts all targets, and their server.
func (f *fragile) fire(all []*target, server *servers.Server) {
	random := rand.New(rand.NewPCG(2, 3))
	for i := range rounds() {
		for _, one := range all {
			one.killed += f.shoot(one.ctx, one.admin, random)
			if i%3 == 0 {
				one.loseAnswer()
			}
		}
		if i%12 == 8 {
			all[0].ok(server.Restart(all[0].ctx, servers.Immediate))
		}
		all[0].pause(time.Duration(50+random.IntN(200)) * time.Millisecond)
	}
}

// ended waits until all tasks have ended as they should.
func (one *target) ended() {
	var group sync.WaitGroup
	for _, id := range one.ids {
		group.Go(func() { one.endsPaidOnce(one.front, id) })
	}
	group.Wait()
	one.Logf("%s: %d connections were killed", one.db.kind.name, one.killed)
	if one.killed == 0 {
		one.Error("no connection was killed")
	}
}

// shoot kills one of the connections and some of the others, and counts them.
func (f *fragile) shoot(ctx context.Context, admin *sql.DB, random *rand.Rand) (killed int) {
	for i, id := range f.targets(ctx, admin) {
		if i > 0 && random.IntN(3) > 0 {
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
