package sqlite_test

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// ranges are all that is pending without a mark.
func (f *fixture) ranges() (all []store.Range) {
	for _, lane := range f.lanes {
		all = append(all, store.Range{Lane: lane.Lane, After: math.MinInt64, Until: math.MaxInt64, Limit: 10 * benchBatch})
	}
	return all
}

// early has rows read ahead, all of them pending, and looked up for a claim of the node.
func (f *fixture) early(ids []task.ID) sqlite.EarlyClaim {
	f.Helper()
	_, err := f.Scan(f.ctx, f.ranges())
	f.ok(err)
	early := f.lookUp(ids)
	f.expect(early.Found() == len(ids) && !early.Stale(), "%d rows of %d were found", early.Found(), len(ids))
	return early
}

func (f *fixture) lookUp(ids []task.ID) sqlite.EarlyClaim {
	claim := store.Claim{Node: "n1", Lanes: f.lanes}
	for _, id := range ids {
		claim.Items = append(claim.Items, store.ClaimItem{ID: id})
	}
	return f.LookUp(claim)
}

// TestWhatWasReadAheadIsNotBelieved changes the first row after a claim has looked it up.
func TestWhatWasReadAheadIsNotBelieved(t *testing.T) {
	for name, change := range map[string]func(f *fixture, id task.ID) (reason store.Reason){
		"canceled": func(f *fixture, id task.ID) store.Reason {
			_, err := f.Cancel(f.ctx, id)
			f.ok(err)
			return store.ReasonGone
		},
		"canceled by another process": func(f *fixture, id task.ID) store.Reason {
			_, err := open(f.TB, f.path).Cancel(f.ctx, id)
			f.ok(err)
			return store.ReasonGone
		},
		"put off": func(f *fixture, id task.ID) store.Reason {
			_, err := f.Reschedule(f.ctx, id, time.Now().Add(time.Hour))
			f.ok(err)
			return store.ReasonLater
		},
		"marked": func(f *fixture, id task.ID) store.Reason {
			f.ok(f.Mark(f.ctx, []store.Marking{{ID: id, Mark: 7}}))
			return store.ReasonParked
		},
		"claimed": func(f *fixture, id task.ID) store.Reason {
			f.claim(id)
			return store.ReasonGone
		},
		"claimed and ended": func(f *fixture, id task.ID) store.Reason {
			f.succeed(f.claim(id)...)
			return store.ReasonGone
		},
		"claimed and put back": func(f *fixture, id task.ID) store.Reason {
			last := failures(f.claim(id))
			last[0].RunAt = time.Now().Add(time.Hour)
			_, err := f.Settle(f.ctx, last)
			f.ok(err)
			return store.ReasonLater
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 2)
			ids := f.fill(benchBatch)
			early := f.early(ids)
			reason := change(f, ids[0])
			claimed, err := early.Go(f.ctx)
			f.ok(err)
			f.expect(len(claimed.Tasks) == len(ids)-1 && len(claimed.Refused) == 1, "claimed %d, refused %v", len(claimed.Tasks), claimed.Refused)
			f.expect(claimed.Refused[0].ID == ids[0] && claimed.Refused[0].Reason == reason, "refused %+v", claimed.Refused[0])
			f.succeed(claimed.Tasks...)
			f.healthy()
		})
	}
}

// TestWhatWasReadAheadServes shows what leaves it as it was: a claim under load reads nothing
// twice.
func TestWhatWasReadAheadServes(t *testing.T) {
	f := newFixture(t, 2)
	ids := f.fill(2 * benchBatch)
	tasks := f.claim(ids[benchBatch:]...)
	early := f.early(ids[:benchBatch])
	f.fill(benchBatch)
	f.succeed(tasks[:10]...)
	_, err := f.Settle(f.ctx, failures(tasks[10:]))
	f.ok(err)
	_, err = f.Beat(f.ctx, "n1", store.Report{})
	f.ok(err)
	f.expect(!early.Stale(), "the rows would be read again")
	claimed, err := early.Go(f.ctx)
	f.ok(err)
	f.expect(len(claimed.Tasks) == benchBatch, "claimed %d, refused %v", len(claimed.Tasks), claimed.Refused)
	for _, got := range claimed.Tasks {
		want, err := f.Get(f.ctx, got.ID)
		f.ok(err)
		f.expect(reflect.DeepEqual(got, want), "claimed %+v, is %+v", got, want)
	}
	f.succeed(claimed.Tasks...)
	f.healthy()
}

// TestScansMeetClaims has a row claimed and put back between the snapshot of a scan and its
// end, and while the claim's transaction is open: it is not kept as it was.
func TestScansMeetClaims(t *testing.T) {
	var scan func()
	var once sync.Once
	f := newFixture(t, 1, sqlite.WithHook(func(point string) {
		if point == "claim.before_commit" && scan != nil {
			once.Do(scan)
		}
	}))
	again := func(id task.ID, attempt int) {
		early := f.lookUp([]task.ID{id})
		f.expect(early.Found() == 0, "the row is kept as it was")
		claimed, err := early.Go(f.ctx)
		f.ok(err)
		f.expect(len(claimed.Tasks) == 1 && claimed.Tasks[0].Attempt == attempt, "%+v", claimed)
		f.succeed(claimed.Tasks...)
	}
	fail := func(id task.ID) {
		last := failures(f.claim(id))
		last[0].RunAt = time.Now().Add(-time.Second)
		_, err := f.Settle(f.ctx, last)
		f.ok(err)
	}
	ids := []task.ID{f.insert(f.task(0))[0].Entry.ID, f.insert(f.task(0))[0].Entry.ID}
	keep, err := f.BeginScan(f.ctx, f.ranges())
	f.ok(err)
	fail(ids[0])
	keep()
	early := f.lookUp(ids)
	f.expect(early.Found() == 1, "%d rows are kept", early.Found())
	again(ids[0], 2)

	scan = func() {
		if _, err := f.Scan(f.ctx, f.ranges()); err != nil {
			t.Error(err)
		}
	}
	fail(ids[1])
	again(ids[1], 2)
	f.healthy()
}

// TestScansMeetOtherChanges cancels a row that is kept, and that a scan under way has read.
func TestScansMeetOtherChanges(t *testing.T) {
	f := newFixture(t, 1)
	ids := []task.ID{f.insert(f.task(0))[0].Entry.ID, f.insert(f.task(0))[0].Entry.ID}
	keep, err := f.BeginScan(f.ctx, f.ranges())
	f.ok(err)
	f.early(ids)
	_, err = f.Cancel(f.ctx, ids[0])
	f.ok(err)
	early := f.lookUp(ids)
	f.expect(early.Found() == 0, "found %d rows of before", early.Found())
	_, err = f.Scan(f.ctx, f.ranges())
	f.ok(err)
	keep()
	early = f.lookUp(ids)
	f.expect(early.Found() == 1 && !early.Stale(), "found %d rows", early.Found())
	claimed, err := early.Go(f.ctx)
	f.ok(err)
	f.expect(len(claimed.Tasks) == 1 && claimed.Tasks[0].ID == ids[1], "claimed %v", claimed.Tasks)
	f.healthy()
}

// TestReadAheadInATransactionOfOthers has claims share a transaction with what changes their
// rows, also where it starts again.
func TestReadAheadInATransactionOfOthers(t *testing.T) {
	for name, copies := range map[string]int{"at once": 1, "starting again": 100} {
		t.Run(name, func(t *testing.T) { earlyClaimsTogether(t, copies) })
	}
}

// earlyClaimsTogether also inserts copies of one task: those that are inserted together must
// be new, else the transaction starts again.
func earlyClaimsTogether(t *testing.T, copies int) {
	held, resume := make(chan struct{}), make(chan struct{})
	var holding sync.Once
	f := newFixture(t, 2, sqlite.WithHook(func(point string) {
		if point == "beat.before_commit" {
			holding.Do(func() { close(held); <-resume })
		}
	}))
	ids := f.fill(2 * benchBatch)
	first, second := f.early(ids[:benchBatch]), f.early(ids[benchBatch:])
	items := make([]store.Insert, copies)
	for i, known := range slices.Repeat([]*task.Task{f.task(0)}, copies) {
		items[i].Task = known
	}
	var calls sync.WaitGroup
	calls.Go(func() { _, _ = f.Beat(f.ctx, "n1", store.Report{}) })
	<-held
	queue := func(call func()) {
		before := f.Queued()
		calls.Go(call)
		for f.Queued() == before {
			runtime.Gosched()
		}
	}
	var claimed [2]store.Claimed
	var errs [4]error
	queue(func() { _, errs[0] = f.Cancel(f.ctx, ids[0]) })
	queue(func() { claimed[0], errs[1] = first.Go(f.ctx) })
	queue(func() { claimed[1], errs[2] = second.Go(f.ctx) })
	queue(func() { _, errs[3] = f.Enqueue(f.ctx, []store.Batch{{Items: items}}) })
	close(resume)
	calls.Wait()
	for _, err := range errs {
		f.ok(err)
	}
	f.expect(len(claimed[0].Tasks) == benchBatch-1 && claimed[0].Refused[0].ID == ids[0], "claimed %d, refused %v", len(claimed[0].Tasks), claimed[0].Refused)
	f.expect(len(claimed[1].Tasks) == benchBatch, "claimed %d", len(claimed[1].Tasks))
	for _, one := range claimed {
		f.succeed(one.Tasks...)
	}
	_, err := f.Get(f.ctx, items[0].Task.ID)
	f.ok(err)
	f.healthy()
}
