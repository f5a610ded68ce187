package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/task"
)

// What a claim and a settlement read of the log does not grow with the batches that are
// over, however long an old snapshot keeps them.
func TestClaimsPassOldBatches(t *testing.T) {
	const cycles = 20
	url := database(t)
	counted := url + "&application_name=counted"
	g := newGround(t, open(t, counted), 4)
	p := pool(t, url)
	work := func() {
		for range cycles {
			g.settle(g.claim(g.add(16)...).Tasks, task.OutcomeSucceeded)
		}
	}
	work()
	g.ok(g.s.Close())
	if _, err := p.Exec(t.Context(), "ANALYZE outlast_claim"); err != nil {
		t.Fatal(err)
	}
	oldSnapshot(t, url)
	// read is how many blocks of the log some cycles read. The counts of a connection are
	// there when it has ended.
	read := func() (blocks int) {
		t.Helper()
		began := logBlocks(t, p)
		g.s = open(t, counted)
		work()
		g.ok(g.s.Close())
		return logBlocks(t, p) - began
	}
	first := read()
	g.s = open(t, counted)
	for range 10 {
		work()
	}
	g.ok(g.s.Close())
	if later := read(); later > 2*first {
		t.Errorf("%d cycles read %d blocks of the log, and %d ten times as many cycles later", cycles, first, later)
	}
}

// logBlocks is how many blocks of the claim log have been read, after all counted
// connections have ended: each adds its counts when it does.
func logBlocks(t *testing.T, p *pgxpool.Pool) (blocks int) {
	t.Helper()
	if _, err := p.Exec(t.Context(), `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'counted'`); err != nil {
		t.Fatal(err)
	}
	err := p.QueryRow(t.Context(), `SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit
 FROM pg_statio_user_tables WHERE relname = 'outlast_claim' AND schemaname = current_schema()`).Scan(&blocks)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}
