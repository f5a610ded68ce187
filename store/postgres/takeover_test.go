package postgres_test

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
)

// heard is a connection that tells of each lock that the server did not give in time.
type heard struct {
	net.Conn
	timeouts chan struct{}
}

func (h heard) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if bytes.Contains(b[:n], []byte("55P03")) {
		h.timeouts <- struct{}{}
	}
	return n, err
}

// A claim whose client was cut off keeps the locks of its lanes for as long as
// TCP does. Who takes the lanes over ends it, but only when their owner is
// dead.
func TestATakeOverEndsAClaimThatIsStuck(t *testing.T) {
	t.Parallel()
	url := database(t)
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	timeouts := make(chan struct{}, 1000)
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return heard{conn, timeouts}, err
	}
	listening, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(listening.Close)
	s, err := postgres.Open(t.Context(), listening)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	g := newGround(t, s, 2)
	stuck, err := pool(t, url).Acquire(t.Context())
	g.ok(err)
	defer stuck.Release()
	_, err = stuck.Exec(t.Context(), "BEGIN")
	g.ok(err)
	_, err = stuck.Exec(t.Context(), "SELECT 1 FROM outlast_lane FOR NO KEY UPDATE")
	g.ok(err)
	g.ok(g.s.Join(t.Context(), store.Node{ID: "n2"}))
	lives, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for range 2 { // after the first, what is stuck has been looked for: it has taken too long
			<-timeouts
		}
		stop()
	}()
	if taken, err := g.s.TakeLanes(lives, "n2", g.lanes); err == nil {
		t.Fatalf("took %v from a node that lives", taken)
	}
	if err := stuck.Ping(t.Context()); err != nil {
		t.Fatalf("the claim of a node that lives was ended: %v", err)
	}
	g.ok(g.s.Leave(t.Context(), "n1"))
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	taken, err := g.s.TakeLanes(soon, "n2", g.lanes)
	g.ok(err)
	if len(taken) != 2 {
		t.Fatalf("took %v", taken)
	}
	if err := stuck.Ping(t.Context()); err == nil {
		t.Fatal("the session goes on without its locks")
	}
}
