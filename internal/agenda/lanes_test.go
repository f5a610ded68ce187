package agenda

import (
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// A row that is written while a page of its lane is being read, and left on disk, is read
// later: the page may be older than the row.
func TestARowBesideAPageIsReadLater(t *testing.T) {
	for what, row := range map[string]store.Entry{
		"memory is full":                  {RunAt: 500, Rank: 500},
		"it is due beyond what is looked": {RunAt: 1500, Rank: 900},
	} {
		t.Run(what, func(t *testing.T) {
			a := New(Config{NearFuture: 1, Slots: 1, Share: 1})
			l := a.Own(1, 1, "q")
			a.horizon = 1000
			reading, _ := a.ToRead()
			var known []*Entry
			for n := range a.window() {
				known = append(known, a.Add(l.queue, store.Entry{ID: task.ID{byte(n)}.WithLane(1), RunAt: 1, Rank: 1, Target: "t"}, false))
			}
			row.ID, row.Target = task.ID{0xff}.WithLane(1), "t"
			if a.Add(l.queue, row, false) != nil {
				t.Fatal("it is in memory")
			}
			for range 2 { // pages that are older than the row, and end in front of it
				if len(reading) != 1 {
					t.Fatalf("ranges %+v", reading)
				}
				a.HasRead(l, &reading[0], nil, func() {})
				for _, e := range known {
					a.Forget(e)
				}
				known = nil
				a.horizon = 2000
				if reading, _ = a.ToRead(); len(reading) == 1 && reading[0].After < row.Rank && row.Rank <= reading[0].Until {
					return
				}
			}
			t.Errorf("nothing reads it: %+v", reading)
		})
	}
}
