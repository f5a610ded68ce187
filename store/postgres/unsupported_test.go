package postgres_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// TestWhatTheServerCannotDoIsAnError: the code for it is also that of a plan
// that has changed, which is repeated.
func TestWhatTheServerCannotDoIsAnError(t *testing.T) {
	url := servertest.Postgres(t)
	s := open(t, url)
	queue, err := s.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = pool(t, url).Exec(t.Context(), `CREATE FUNCTION cannot() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it cannot' USING ERRCODE = '0A000'; END $$;
CREATE TRIGGER cannot BEFORE INSERT ON outlast_task FOR EACH ROW EXECUTE FUNCTION cannot()`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	results, err := s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: &task.Task{
		ID: task.NewID(time.Now(), rand.New(rand.NewPCG(1, 1))).WithLane(queue.Numbers[0]), Queue: "q", Type: "a", Target: "a", Payload: []byte("1"),
	}}}}})
	if err == nil && len(results) == 1 {
		err = results[0].Err
	}
	if ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), "it cannot") {
		t.Errorf("got %v", err)
	}
}
