package agenda

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// disk is the pending rows of one lane, of which an agenda reads.
type disk struct {
	*Agenda
	lane *Lane
	rows []store.Entry // in the order in which they are read
	read int
	seq  int64
}

func newDisk(nearFuture int) *disk {
	d := &disk{Agenda: New(Config{NearFuture: nearFuture, Slots: 20, Share: 1})}
	d.lane = d.Own(0, 1, "q")
	d.horizon = 1 << 60
	return d
}

func (d *disk) row(key string, rank int64) store.Entry {
	d.seq++
	row := store.Entry{Rank: rank, Seq: d.seq, Target: "t", Type: "t", Share: key}
	row.ID = task.ID{byte(d.seq >> 16), byte(d.seq >> 8), byte(d.seq)}.WithLane(0)
	return row
}

func compareRows(a, b store.Entry) int {
	if p, q := (place{a.Rank, a.ID}), (place{b.Rank, b.ID}); p.before(q) {
		return -1
	} else if q.before(p) {
		return 1
	}
	return 0
}

func (d *disk) insert(row store.Entry) {
	at, _ := slices.BinarySearchFunc(d.rows, row, compareRows)
	d.rows = slices.Insert(d.rows, at, row)
}

func (d *disk) remove(row store.Entry) {
	at, ok := slices.BinarySearchFunc(d.rows, row, compareRows)
	if !ok {
		panic(fmt.Sprintf("%+v has run twice", row))
	}
	d.rows = slices.Delete(d.rows, at, at+1)
}

func (d *disk) scan(r *store.Range) (page []store.Entry) {
	after := place{r.After, r.AfterID}
	at, _ := slices.BinarySearchFunc(d.rows, after, func(row store.Entry, p place) int {
		if p.before(place{row.Rank, row.ID}) {
			return 1
		}
		return -1
	})
	for _, row := range d.rows[at:] {
		if len(page) < r.Limit && row.Rank <= r.Until {
			page = append(page, row)
		}
	}
	d.read += len(page)
	return page
}

// load reads on as the loader does. Meanwhile is called while a page is on its way.
func (d *disk) load(meanwhile func()) {
	for more := true; more; {
		ranges, _ := d.ToRead()
		if len(ranges) == 0 {
			return
		}
		page := d.scan(&ranges[0])
		meanwhile()
		if !d.lane.IsAt(&ranges[0]) {
			continue
		}
		further, again := d.HasRead(d.lane, &ranges[0], page, func() {
			for _, row := range page {
				d.Add(d.lane.queue, row, true)
			}
		})
		more = further && !again
	}
}

func (d *disk) run(most int) (chosen []*Entry) {
	d.Due(time.UnixMicro(1e9))
	chosen = d.Choose(BatchLimit{Slots: min(most, d.slots), Rows: most, Bytes: 1 << 30})
	for _, e := range chosen {
		d.remove(e.Entry)
		d.vacate(e)
		d.Forget(e)
		if d.WantsRead(d.lane) {
			d.load(func() {})
		}
	}
	return chosen
}

// A backlog of one key that was there before the node started is read past, without a mark
// on it, and read once again at most as it runs.
func TestABacklogOfOneShareKeyIsReadPast(t *testing.T) {
	racetest.WithoutDetector(t)
	const greedy, keys = 10_000, 100
	for _, key := range []string{"greedy", ""} {
		d := newDisk(1000)
		for i := range greedy {
			d.insert(d.row(key, int64(i)))
		}
		d.load(func() {})
		if key == "" { // the first one with a share key is seen as it comes
			row := d.row(modest(0), greedy)
			d.insert(row)
			d.Add(d.lane.queue, row, false)
		}
		for i := range keys {
			d.insert(d.row(modest(i), greedy+1))
		}
		d.lane.Rewind(greedy + 1)
		d.load(func() {})
		if d.lane.count > 2*d.window() {
			t.Fatalf("%d are in memory", d.lane.count)
		}
		seen, starts := map[string]bool{}, 0
		for ; len(seen) <= keys && starts < 2*keys+10; starts++ {
			seen[d.run(1)[0].Share] = true
		}
		if len(seen) != keys+1 {
			t.Errorf("of %d keys, %d have started something after %d starts, with %q before them", keys, len(seen)-1, starts, key)
		}
		for last := -1; len(d.rows) != 0 && last != len(d.rows); {
			last = len(d.rows)
			d.run(20)
		}
		if len(d.rows) != 0 {
			t.Fatalf("%d rows are left", len(d.rows))
		}
		if d.read > 3*greedy {
			t.Errorf("%d rows were read", d.read)
		}
	}
}

// TestNoRowIsLeftForEver adds rows in any order, seen or not, while pages are on their way
// or not, and runs what is in memory: everything runs at last.
func TestNoRowIsLeftForEver(t *testing.T) {
	racetest.WithoutDetector(t)
	rapid.Check(t, func(t *rapid.T) {
		d := newDisk(1)
		insert := func() {
			count := rapid.SampledFrom([]int{1, 1, 10, 100}).Draw(t, "count")
			key := rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "key")
			rank := rapid.Int64Range(0, 30).Draw(t, "rank")
			told := rapid.Bool().Draw(t, "told")
			for i := range count {
				row := d.row(key, rank+int64(i)/7)
				if d.insert(row); told {
					d.Add(d.lane.queue, row, false)
				} else {
					d.LookFor(0, row.Rank)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(*rapid.T) { insert() },
			"load":   func(*rapid.T) { d.load(func() {}) },
			"busy": func(t *rapid.T) {
				left := 2
				d.load(func() {
					if left--; left >= 0 {
						insert()
					}
				})
			},
			"run": func(t *rapid.T) { d.run(rapid.SampledFrom([]int{1, 20}).Draw(t, "starts")) },
		})
		for idle := 0; idle < 3 && len(d.rows) > 0; idle++ {
			if d.load(func() {}); len(d.run(20)) > 0 {
				idle = -1
			}
		}
		if len(d.rows) > 0 {
			t.Fatalf("%d rows are left, the first is %+v, with %+v", len(d.rows), d.rows[0], d.lane.portions[d.rows[0].Share])
		}
	})
}
