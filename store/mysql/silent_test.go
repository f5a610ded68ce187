package mysql_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
)

// Connections that were forgotten on the way while they were idle are noticed before
// anything is asked of them, and do not cost the patience of the caller.
func TestForgottenConnections(t *testing.T) {
	t.Parallel()
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
	ping := []byte{1, 0, 0, 0, 0x0e}
	for _, c := range calls {
		for range 3 {
			f.ok(c.call(t.Context()))
		}
		time.Sleep(300 * time.Millisecond) // sleep: the connections become idle
		proxy.Mute()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // what waits for an answer waits for ever
		err := c.call(ctx)
		cancel()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		unheard := proxy.Unheard()
		if len(unheard) == 0 {
			t.Errorf("%s: no forgotten connection was tried", c.name)
		}
		for _, asked := range unheard {
			if !bytes.Equal(asked, ping) {
				t.Errorf("%s: a forgotten connection was asked %q", c.name, asked)
			}
		}
	}
}
