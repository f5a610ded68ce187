//go:build unix

package failovertest

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// door is an address that stays while the server behind it changes, as the
// name of a host does.
type door struct {
	listener net.Listener

	mu    sync.Mutex
	to    string // "" for nobody
	conns map[net.Conn]bool
	wait  sync.WaitGroup
}

func newDoor(t *testing.T) *door {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{listener: listener, conns: map[net.Conn]bool{}}
	d.wait.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			d.wait.Go(func() { d.serve(in) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		d.lead("")
		d.wait.Wait()
	})
	return d
}

// lead lets the door lead to another server, and ends the connections through
// it.
func (d *door) lead(to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = to
	for conn := range d.conns {
		conn.Close()
	}
}

func (d *door) hold(conn net.Conn) (to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns[conn] = true
	return d.to
}

func (d *door) drop(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	conn.Close()
	delete(d.conns, conn)
}

func (d *door) serve(in net.Conn) {
	to := d.hold(in)
	defer d.drop(in)
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	d.hold(out)
	defer d.drop(out)
	var pumps sync.WaitGroup
	for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
		pumps.Go(func() {
			_, _ = io.Copy(pair[0], pair[1]) // it ends when one of the two does
			in.Close()
			out.Close()
		})
	}
	pumps.Wait()
}

// pair is a primary and its standby, each behind a door.
type pair struct {
	*testing.T
	primary, standby *servers.Server
	doors            [2]*door // of the primary, of the standby
}

func newPair(t *testing.T) *pair {
	t.Helper()
	// Servers are killed here, not machines: nothing needs to be synced to disks.
	p := &pair{T: t, primary: servertest.PostgresServer(t, servers.With("synchronous_commit=on"))}
	for i := range p.doors {
		p.doors[i] = newDoor(t)
	}
	p.doors[0].lead(p.primary.Addr())
	t.Cleanup(func() {
		for _, server := range []*servers.Server{p.standby, p.primary} {
			if server == nil {
				continue
			}
			if err := server.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return p
}

// url is how nodes reach the pair, whichever is the primary.
func (p *pair) url() string {
	return fmt.Sprintf("postgres://postgres@%s,%s/postgres?sslmode=disable&target_session_attrs=read-write&connect_timeout=2&pool_max_conns=8",
		p.doors[0].listener.Addr(), p.doors[1].listener.Addr())
}

// follow makes a standby of the primary, and returns when every commit waits
// for it.
func (p *pair) follow(ctx context.Context, synchronous bool) {
	p.Helper()
	standby, err := p.primary.Standby(ctx)
	if err != nil {
		p.Fatal(err)
	}
	p.standby = standby
	p.doors[1].lead(standby.Addr())
	if err := p.primary.Synchronous(synchronous); err != nil {
		p.Fatal(err)
	}
	p.until(ctx, map[bool]string{true: "sync", false: "async"}[synchronous])
}

// until waits for what the primary says of its standby, "" for none.
func (p *pair) until(ctx context.Context, want string) {
	p.Helper()
	conn, err := pgx.Connect(ctx, p.primary.URL("postgres"))
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for state := "?"; state != want; {
		if err := conn.QueryRow(ctx, `SELECT coalesce(max(sync_state), '') FROM pg_stat_replication WHERE state = 'streaming'`).Scan(&state); err != nil {
			p.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // sleep: the standby connects when it likes
	}
}

// fallBehind lets the standby hear nothing of the primary any more.
func (p *pair) fallBehind(ctx context.Context) {
	p.Helper()
	if err := p.standby.Set("primary_conninfo="); err != nil {
		p.Fatal(err)
	}
	p.until(ctx, "")
}

// failOver kills the primary and lets the standby take over. It returns when
// the one was gone and the other took writes.
func (p *pair) failOver(ctx context.Context) (gone, promoted time.Time) {
	p.Helper()
	lost := p.primary
	lost.Stop(servers.Immediate)
	gone = time.Now()
	p.doors[0].lead("") // its host is gone: nobody comes back by it
	if err := p.standby.Promote(ctx); err != nil {
		p.Fatal(err)
	}
	promoted = time.Now()
	p.primary, p.standby = p.standby, nil
	p.doors[0], p.doors[1] = p.doors[1], p.doors[0]
	// The new primary waits for nobody until it has a standby of its own.
	if err := p.primary.Synchronous(false); err != nil {
		p.Fatal(err)
	}
	if err := lost.Close(); err != nil {
		p.Error(err)
	}
	return gone, promoted
}
