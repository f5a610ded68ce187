package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func TestManyKeysAllForgotten(t *testing.T) {
	racetest.WithoutDetector(t)
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	for _, took := range []time.Duration{0, time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1)
			s := &tap{took: took}
			e := w.tapped("a", badGood(t), s, nil)
			const keys = 1000
			var in, in2 []store.Insert
			var ids []task.ID
			for i := range keys {
				in = append(in, w.insert("bad", key(fmt.Sprintf("k%d", i))))
				x := w.insert("good", key(fmt.Sprintf("k%d", i)))
				in2, ids = append(in2, x), append(ids, x.Task.ID)
			}
			if _, err := e.Enqueue(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if r, err := e.Enqueue(t.Context(), in2); err != nil {
				t.Fatal(err, r)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			parked := 0
			for _, id := range ids {
				if g := w.get(id); g.Park != 0 {
					parked++
				}
			}
			c, m := s.claims.Load(), s.marks.Load()
			time.Sleep(10 * time.Second)
			t.Logf("took %s: %d of %d parked on disk; in 10 s %d claims %d mark tx", took, parked, keys, s.claims.Load()-c, s.marks.Load()-m)
			for i := range keys {
				_, _ = w.store.ReleaseKey(t.Context(), "default", fmt.Sprintf("k%d", i))
			}
			e.Wake()
			time.Sleep(time.Hour)
			synctest.Wait()
			if n := w.countDone(ids); n != keys {
				t.Errorf("took %s: an hour after the release %d of %d ran", took, n, keys)
			}
			w.stop(e)
		})
	}
}
