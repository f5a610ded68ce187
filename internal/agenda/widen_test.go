package agenda

import (
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// What a share key has in memory may wait for a target that is shut, the head of an ordering
// key, or a later time. What it has behind that on disk starts all the same.
func TestWhatIsHeldHoldsNoneOfItsShareKeyUp(t *testing.T) {
	racetest.WithoutDetector(t)
	const backlog, others, from = 3000, 50, int64(1e9)
	hold := map[string]func(*store.Entry){
		"target":       func(row *store.Entry) { row.Target = "shut" },
		"ordering key": func(row *store.Entry) { row.Key = "k" },
		"later":        func(row *store.Entry) { row.RunAt = from + 120e6 },
	}
	for name, held := range hold {
		for _, key := range []string{"acme", ""} {
			d := newDisk(1000)
			count := backlog
			if name == "later" {
				count = 500 // the rest is read in its time: nothing parks it
			}
			for i := range count {
				row := d.row(key, int64(i))
				held(&row)
				d.insert(row)
			}
			for i := range others {
				d.insert(d.row(key, int64(6000+i)))
			}
			d.insert(d.row("another", 7000))
			d.Follow(time.UnixMicro(from), guard.Fleet{Position: guard.Position{Of: 1}, Orders: []store.TargetOrder{{Target: "shut", Action: store.TargetOpen, At: time.UnixMicro(from)}}})
			ran := 0
			for step := range int64(1000) {
				now := from + step*50_000
				d.Due(time.UnixMicro(now))
				d.load(func() {})
				for _, e := range d.Choose(BatchLimit{Slots: d.slots - d.running, Rows: 20, Bytes: 1 << 30}) {
					if e.Key != "" {
						continue // it runs on
					}
					d.Conclude(e, guard.Feedback{At: time.UnixMicro(now), Took: time.Millisecond, First: true, Policy: retry.Default()})
					ran++
					d.remove(e.Entry)
					d.vacate(e)
					d.Forget(e)
				}
				d.Widen()
				surplus := d.Excess(now)
				for _, s := range surplus {
					d.remove(s.Entry.Entry)
				}
				d.Parked(surplus, true)
			}
			if ran != others+1 || d.lane.count > d.window() {
				t.Errorf("%s, share key %q: %d of %d have run, and %d are in memory", name, key, ran, others+1, d.lane.count)
			}
		}
	}
}

// A target of which a share key has little starts beside its backlog for another one.
func TestTargetsOfAShareKeyTakeTurnsBeforeABacklog(t *testing.T) {
	d := newDisk(1000)
	for i := range 5000 {
		d.insert(d.row("acme", int64(i)))
	}
	d.load(func() {})
	d.run(100)
	read, fresh := d.row("acme", 6000), d.row("acme", 6001)
	read.Target, fresh.Target = "u", "v"
	d.insert(read)
	d.lane.ReadAnew() // another process has inserted it
	d.load(func() {})
	d.insert(fresh)
	d.Add(d.lane.queue, fresh, false)
	found := 0
	for range 20 {
		for _, e := range d.run(1) {
			if e.Target != "t" {
				found++
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 of the other targets start in 20 starts", found)
	}
}

// Share keys that keep coming hold up no backlog that was there before, in memory or on disk.
func TestNewShareKeysHoldNoOldOnesUp(t *testing.T) {
	racetest.WithoutDetector(t)
	const keys, each, from = 400, 5, 10_000
	d := newDisk(1000)
	for k := range keys {
		for range each {
			d.insert(d.row(modest(k), int64(k)))
		}
	}
	d.load(func() {})
	old := 0
	for i := range 3 * keys * each {
		fresh := d.row(fmt.Sprint("fresh ", i), int64(from+i))
		d.insert(fresh)
		d.Add(d.lane.queue, fresh, false)
		for _, e := range d.run(1) {
			if e.Rank < from {
				old++
			}
		}
	}
	if old != keys*each {
		t.Errorf("%d of %d have run", old, keys*each)
	}
}
