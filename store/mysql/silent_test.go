package mysql_test

import (
	"context"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
)

// Connections that were forgotten on the way while they were idle are noticed before
// anything is asked of them, and cost a second, not the patience of the caller.
func TestForgottenConnections(t *testing.T) {
	d := newDatabase(t, options)
	config, err := driver.ParseDSN(d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	proxy := servertest.NewLossy(t, config.Addr)
	config.Addr = proxy.Addr()
	f := newFixtureOn(t, &database{DB: openPool(t, config.FormatDSN()), name: d.name, dsn: config.FormatDSN()}, 1)
	one := f.task(0)
	calls := []struct {
		name string
		call func(ctx context.Context) error
	}{
		{"beat", func(ctx context.Context) error { _, err := f.s.Beat(ctx, "n1", store.Report{}); return err }},
		{"topology", func(ctx context.Context) error { _, err := f.s.Topology(ctx); return err }},
		{"enqueue", func(ctx context.Context) error {
			_, err := f.s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: one}}}})
			return err
		}},
	}
	for _, c := range calls {
		for range 3 {
			if err := c.call(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for try := 1; ; try++ { // one that took long may be the machine's fault
			time.Sleep(300 * time.Millisecond) // sleep: the connections become idle
			proxy.Mute()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			began := time.Now()
			err := c.call(ctx)
			cancel()
			took := time.Since(began).Round(time.Millisecond)
			t.Logf("%s took %s: %v", c.name, took, err)
			if err == nil && took <= 4*time.Second { // a node without a beat for so long stops
				break
			}
			if try == 3 {
				t.Errorf("%s took too long in each of %d tries", c.name, try)
				break
			}
		}
	}
}
