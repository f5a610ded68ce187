package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// oldSnapshot keeps all that ends from now on where it is, as a dump does.
func oldSnapshot(t *testing.T, url string) {
	t.Helper()
	tx, err := pool(t, url).BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(t.Context()) })
	if _, err := tx.Exec(t.Context(), "SELECT count(*) FROM pg_class"); err != nil {
		t.Fatal(err)
	}
}

// walked runs a statement by indexes alone and returns how many rows it gave, and how many
// entries of indexes of tasks it read, those of rows that have ended among them.
func walked(t *testing.T, url, types, text, values string) (rows, read int) {
	t.Helper()
	tx, err := pool(t, url).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	do := func(text string) int {
		t.Helper()
		done, err := tx.Exec(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return int(done.RowsAffected())
	}
	for _, set := range []string{"enable_seqscan", "enable_bitmapscan", "enable_nestloop", "enable_mergejoin"} {
		do("SET LOCAL " + set + " = off")
	}
	do("PREPARE look (" + types + ") AS " + text)
	defer func() { _, _ = tx.Exec(t.Context(), "DEALLOCATE look") }()
	rows = do("EXECUTE look(" + values + ")")
	const entries = "SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid)) FROM pg_index WHERE indrelid = 'outlast_task'::regclass"
	if err := tx.QueryRow(t.Context(), entries).Scan(&read); err != nil {
		t.Fatal(err)
	}
	return rows, read
}

// Who looks for marks walks past no rows that have ended without one, however long an old
// snapshot keeps them.
func TestMarksPassEndedRows(t *testing.T) {
	const ended = 2000
	url := database(t)
	s := open(t, url)
	g := newGround(t, s, 1)
	oldSnapshot(t, url)
	for range ended / 500 {
		g.settle(g.claim(g.add(500)...).Tasks, task.OutcomeSucceeded)
	}
	ids := g.add(4)
	g.ok(s.Mark(t.Context(), []store.Marking{{ID: ids[0], Mark: -7}, {ID: ids[1], Mark: 9}, {ID: ids[2], Mark: 9}}))
	for most, want := range map[int]int{1: 1, 2: 2, 10: 2} {
		rows, read := walked(t, url, "integer[], bigint", s.MarksText(), fmt.Sprintf("'{%d}', %d", g.lanes[0].Lane, most))
		if rows != want || read > 20 {
			t.Errorf("the first %d: %d rows, want %d; %d entries read beside %d rows that have ended", most, rows, want, read, ended)
		}
	}
}
