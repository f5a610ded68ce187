package postgres_test

import (
	"encoding/json"
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

// blocks runs a statement and returns how many rows it gave, and how many blocks it read.
func blocks(t *testing.T, url, types, text, values string) (rows, read int) {
	t.Helper()
	c, err := pool(t, url).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	for _, set := range []string{"enable_seqscan", "enable_bitmapscan", "enable_nestloop", "enable_mergejoin"} {
		if _, err := c.Exec(t.Context(), "SET "+set+" = off"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Exec(t.Context(), "PREPARE look ("+types+") AS "+text); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = c.Exec(t.Context(), "DEALLOCATE look") }()
	var said []byte
	if err := c.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE look("+values+")").Scan(&said); err != nil {
		t.Fatal(err)
	}
	var plans []struct {
		Plan struct {
			Rows int `json:"Actual Rows"`
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal(said, &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan.Rows, plans[0].Plan.Hit + plans[0].Plan.Read
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
		rows, read := blocks(t, url, "integer[], bigint", s.MarksText(), fmt.Sprintf("'{%d}', %d", g.lanes[0].Lane, most))
		if rows != want || read > ended/10 {
			t.Errorf("the first %d: %d rows, want %d; %d blocks read beside %d rows that have ended", most, rows, want, read, ended)
		}
	}
}
