package postgres_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/postgres"
)

// What a batch of the cleanup reads does not grow with the rows of its day.
func TestCleanupReadsWhatItDeletes(t *testing.T) {
	url := servertest.Postgres(t)
	open(t, url)
	p := pool(t, url)
	began := time.Now().UTC().Truncate(24 * time.Hour)
	day := "outlast_done_" + began.Format("20060102")
	// Rows that are new are vacuumed and analyzed by the server when it likes, and counted.
	if _, err := p.Exec(t.Context(), "ALTER TABLE "+day+" SET (autovacuum_enabled = off)"); err != nil {
		t.Fatal(err)
	}
	_, err := p.Exec(t.Context(), `INSERT INTO outlast_done SELECT gen_random_uuid(), 1, 5, 2, 0, 1, 0, 0, 0, $1::bigint, $1::bigint + i, 1, 0, false,
 'q', 't', 't', NULL, NULL, NULL, NULL, 'n1', 'succeeded', NULL, '\x12' FROM generate_series(1, 100000) i`, began.UnixMicro())
	if err != nil {
		t.Fatal(err)
	}
	blocks := func() (n int) {
		t.Helper()
		err := p.QueryRow(t.Context(), `SELECT coalesce(sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit), 0) FROM pg_statio_user_tables WHERE relname = $1`,
			day).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	p.Reset() // the end of a connection has its counts counted
	before := blocks()
	for last := -1; before != last || before == 0; time.Sleep(100 * time.Millisecond) { // sleep: the server counts now and then
		last, before = before, blocks()
	}
	s, err := postgres.OpenURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Cleanup(t.Context(), began.Add(time.Millisecond), 100); n != 100 || err != nil {
		t.Errorf("deleted %d: %v", n, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after := before
	for began := time.Now(); after == before && time.Since(began) < 20*time.Second; time.Sleep(100 * time.Millisecond) { // sleep: as above
		after = blocks()
	}
	if read := after - before; read == 0 || read > 800 {
		t.Errorf("100 of 100000 rows cost %d blocks", read)
	}
}
