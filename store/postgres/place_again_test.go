package postgres_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
)

// A row that has moved and come back to the place where a scan has read it is another
// version: the claim hands out what it says now.
func TestRememberedPlaceThatWasTakenAgain(t *testing.T) {
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 1)
	other, direct := g.second(url), pool(t, url)
	id := g.add(1)[0]
	where := func() (place string) {
		if err := direct.QueryRow(t.Context(), "SELECT ctid::text FROM outlast_task").Scan(&place); err != nil {
			t.Fatal(err)
		}
		return place
	}
	before := where()
	g.scan(1)
	var due time.Time
	for n := 1; n == 1 || where() != before; n++ {
		if n > 50 {
			t.Fatal("the server does not use the place again")
		}
		moved, err := other.s.Reschedule(t.Context(), id, time.Now().Add(-time.Duration(n)*time.Minute))
		g.ok(err)
		due = moved.RunAt
		if _, err := direct.Exec(t.Context(), "VACUUM outlast_task"); err != nil {
			t.Fatal(err)
		}
	}
	claimed := g.claim(id)
	if len(claimed.Tasks) != 1 || !claimed.Tasks[0].RunAt.Equal(due) {
		t.Errorf("claimed %+v, due %s", claimed.Tasks, due)
	}
	g.same(claimed.Tasks)
}
