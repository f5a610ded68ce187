package postgres_test

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// ahead is a ground that counts the rows that claims look up.
type ahead struct {
	*ground
	url      string
	offset   time.Duration // of the clock
	lookedUp int
}

func newAhead(t *testing.T, lanes int) *ahead {
	t.Helper()
	url := database(t)
	a := &ahead{url: url}
	a.ground = newGround(t, open(t, url, postgres.WithClockOffset(func() time.Duration { return a.offset })), lanes)
	a.s.Observe(func(text string, values [][]byte) {
		// The ids of a claim, as an array: the number of dimensions comes first, and the
		// length in the fourth word.
		if strings.HasPrefix(text, "WITH owned AS") && strings.Contains(text, "INSERT INTO") && binary.BigEndian.Uint32(values[4]) > 0 {
			a.lookedUp += int(binary.BigEndian.Uint32(values[4][12:]))
		}
	})
	return a
}

func (a *ahead) scan() {
	a.Helper()
	a.scanLanes(a.lanes...)
}

func (a *ahead) scanLanes(lanes ...store.LaneEpoch) {
	a.Helper()
	var ranges []store.Range
	for _, lane := range lanes {
		ranges = append(ranges, store.Range{Lane: lane.Lane, After: store.AnyRank, Until: math.MaxInt64, Limit: 1000})
	}
	_, err := a.s.Scan(a.Context(), ranges)
	a.ok(err)
}

// whole checks that tasks were claimed as they are.
func (a *ahead) whole(claimed []*task.Task, n int) {
	a.Helper()
	if len(claimed) != n {
		a.Fatalf("claimed %d of %d", len(claimed), n)
	}
	for _, got := range claimed {
		want, err := a.s.Get(a.Context(), got.ID)
		a.ok(err)
		want.LastFailedAt = time.Time{} // which no claim tells
		if !reflect.DeepEqual(got, want) {
			a.Errorf("claimed %+v\nis      %+v", got, want)
		}
	}
}

// TestReadAheadServes has claims of rows that a scan has read, that have failed, and that
// were made here, beside what changes nothing for them: no row is looked up.
func TestReadAheadServes(t *testing.T) {
	t.Parallel()
	a := newAhead(t, 2)
	batch, ids := a.batch(60, func(i int, t *task.Task) {
		t.Priority, t.Policy, t.Spec = i%10, "p", task.Spec{MaxAttempts: 3 + i}
		t.Payload = make([]byte, i)
	})
	a.ok(a.enqueue(batch)[0].Err)
	a.scan()
	fresh := a.claim(a.add(10)...).Tasks
	a.whole(fresh, 10)
	first := a.claim(ids[:30]...).Tasks
	a.whole(first, 30)
	var settlements []store.Settlement
	for _, t := range first {
		settlements = append(settlements, store.Settlement{Task: t, Outcome: task.OutcomeFailed, StartedAt: t.StartedAt, EndedAt: time.Now(), Failure: &task.Failure{Category: "x", Message: "no"}})
	}
	_, err := a.s.Settle(t.Context(), settlements)
	a.ok(err)
	second := a.claim(ids[30:]...).Tasks
	a.whole(second, 30)
	again := a.claim(ids[:30]...).Tasks
	a.whole(again, 30)
	if a.lookedUp != 0 {
		t.Errorf("%d rows were looked up", a.lookedUp)
	}
	a.settle(slices.Concat(fresh, second, again), task.OutcomeSucceeded)
	a.sound()
}

// TestReadAheadIsNotBelieved changes the first of some rows after a scan has read them.
func TestReadAheadIsNotBelieved(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		change func(a *ahead, other *postgres.Store, id task.ID)
		reason store.Reason
	}{
		"canceled": {func(a *ahead, other *postgres.Store, id task.ID) {
			_, err := other.Cancel(a.Context(), id)
			a.ok(err)
		}, store.ReasonGone},
		"put off": {func(a *ahead, other *postgres.Store, id task.ID) {
			_, err := other.Reschedule(a.Context(), id, time.Now().Add(time.Hour))
			a.ok(err)
		}, store.ReasonLater},
		"steered": {func(a *ahead, other *postgres.Store, id task.ID) {
			_, _, err := other.Steer(a.Context(), store.Steering{IDs: []task.ID{id}, Event: task.Cancel})
			a.ok(err)
		}, store.ReasonGone},
		"marked": {func(a *ahead, other *postgres.Store, id task.ID) {
			a.ok(other.Mark(a.Context(), []store.Marking{{ID: id, Mark: 7}}))
		}, store.ReasonParked},
		"claimed and ended": {func(a *ahead, _ *postgres.Store, id task.ID) {
			a.settle(a.claim(id).Tasks, task.OutcomeSucceeded)
		}, store.ReasonGone},
		"leased": {func(a *ahead, other *postgres.Store, id task.ID) { // as by a claim whose answer was lost and that commits late
			claimed, err := other.Claim(a.Context(), store.Claim{Node: "n1", Lanes: a.lanes, Items: []store.ClaimItem{{ID: id}}, Worker: "w", Lease: time.Minute})
			a.ok(err)
			if len(claimed.Tasks) != 1 {
				a.Fatalf("refused %+v", claimed.Refused)
			}
		}, store.ReasonGone},
		"claimed by another owner": {func(a *ahead, other *postgres.Store, id task.ID) {
			freed, err := a.s.FreeLanes(a.Context(), "n1", a.lanes)
			a.ok(err)
			a.ok(other.Join(a.Context(), store.Node{ID: "n2"}))
			taken, err := other.TakeLanes(a.Context(), "n2", freed)
			a.ok(err)
			claimed, err := other.Claim(a.Context(), store.Claim{Node: "n2", Lanes: taken, Items: []store.ClaimItem{{ID: id}}})
			a.ok(err)
			if len(claimed.Tasks) != 1 {
				a.Fatalf("refused %+v", claimed.Refused)
			}
			freed, err = other.FreeLanes(a.Context(), "n2", taken)
			a.ok(err)
			a.lanes, err = a.s.TakeLanes(a.Context(), "n1", freed)
			a.ok(err)
		}, store.ReasonGone},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAhead(t, 1)
			ids := a.add(5)
			a.scan()
			c.change(a, open(t, a.url), ids[0])
			claimed := a.claim(ids...)
			a.whole(claimed.Tasks, 4)
			if len(claimed.Refused) != 1 || claimed.Refused[0].ID != ids[0] || claimed.Refused[0].Reason != c.reason {
				t.Errorf("refused %+v", claimed.Refused)
			}
			a.settle(claimed.Tasks, task.OutcomeSucceeded)
			a.sound()
		})
	}
}

// TestReadAheadOnAnotherServer claims after a standby has taken over: it may lack rows that
// were read.
func TestReadAheadOnAnotherServer(t *testing.T) {
	t.Parallel()
	a := newAhead(t, 1)
	ids := a.add(5)
	a.scan()
	_, err := pool(t, a.url).Exec(t.Context(), "DELETE FROM outlast_task WHERE id = $1", ids[0])
	a.ok(err)
	a.s.OfAnotherServer()
	claimed := a.claim(ids...)
	a.whole(claimed.Tasks, 4)
	if len(claimed.Refused) != 1 || claimed.Refused[0].Reason != store.ReasonGone {
		t.Errorf("refused %+v", claimed.Refused)
	}
}

// TestReadAheadOfEachLaneIsOfItsServer scans one lane of two after a standby has taken over:
// what was read of the other is still of the old server.
func TestReadAheadOfEachLaneIsOfItsServer(t *testing.T) {
	t.Parallel()
	a := newAhead(t, 2)
	lane := a.lanes[0]
	batch, ids := a.batch(5, func(_ int, t *task.Task) { t.ID = t.ID.WithLane(lane.Lane) })
	a.ok(a.enqueue(batch)[0].Err)
	a.scan()
	_, err := pool(t, a.url).Exec(t.Context(), "DELETE FROM outlast_task WHERE id = $1", ids[0])
	a.ok(err)
	a.s.OfAnotherServer()
	a.scanLanes(a.lanes[1])
	claimed := a.claim(ids...)
	a.whole(claimed.Tasks, 4)
	if len(claimed.Refused) != 1 || claimed.Refused[0].Reason != store.ReasonGone {
		t.Errorf("refused %+v", claimed.Refused)
	}
}

// TestReadAheadLeavesOut has rows that a claim looks up although they were scanned: keyed,
// large, due later, and those of a lease.
func TestReadAheadLeavesOut(t *testing.T) {
	t.Parallel()
	a := newAhead(t, 1)
	batch, ids := a.batch(6, func(i int, t *task.Task) {
		switch i {
		case 0:
			t.Key = "k"
		case 1:
			t.Payload = make([]byte, 1025)
		case 2:
			t.Spec.Metadata = map[string]string{"m": strings.Repeat("m", 1025)}
		}
	})
	batch.Items[3].Delay = time.Hour
	a.ok(a.enqueue(batch)[0].Err)
	a.scan()
	a.offset = 2 * time.Hour
	a.whole(a.claim(ids[:5]...).Tasks, 5)
	if a.lookedUp != 4 {
		t.Errorf("%d rows were looked up, not 4", a.lookedUp)
	}
	claimed, err := a.s.Claim(t.Context(), store.Claim{Node: "n1", Lanes: a.lanes, Items: []store.ClaimItem{{ID: ids[5]}}, Worker: "w", Lease: time.Minute})
	a.ok(err)
	if len(claimed.Tasks) != 1 || a.lookedUp != 5 {
		t.Errorf("claimed %+v, %d rows were looked up", claimed, a.lookedUp)
	}
}

// TestReadAheadOfOthersLanes scans more than fits of lanes that another node owns, as the
// console and the alerts do: it takes no room from what is read for claims.
func TestReadAheadOfOthersLanes(t *testing.T) {
	t.Parallel()
	a := newAhead(t, 2)
	freed, err := a.s.FreeLanes(t.Context(), "n1", a.lanes[:1])
	a.ok(err)
	if len(freed) != 1 {
		t.Fatal("the lane was not freed")
	}
	others, own := a.lanes[:1], a.lanes[1:]
	for range 25 {
		batch, _ := a.batch(1000, func(_ int, t *task.Task) {
			t.ID, t.Payload = t.ID.WithLane(others[0].Lane), make([]byte, 1024)
		})
		a.ok(a.enqueue(batch)[0].Err)
	}
	_, err = a.s.Scan(t.Context(), []store.Range{{Lane: others[0].Lane, After: store.AnyRank, Until: math.MaxInt64, Limit: 30_000}})
	a.ok(err)
	batch, ids := a.batch(10, func(_ int, t *task.Task) { t.ID = t.ID.WithLane(own[0].Lane) })
	a.ok(a.enqueue(batch)[0].Err)
	a.scanLanes(own...)
	a.whole(a.claim(ids...).Tasks, 10)
	if a.lookedUp != 0 {
		t.Errorf("%d rows were looked up", a.lookedUp)
	}
}

// TestReadAheadLeavesRoom claims more bytes than fit, of which some were read ahead: what
// was not claimed is not said to be gone.
func TestReadAheadLeavesRoom(t *testing.T) {
	t.Parallel()
	a := newAhead(t, 1)
	batch, ids := a.batch(20, func(_ int, t *task.Task) { t.Payload = make([]byte, 1000) })
	a.ok(a.enqueue(store.Batch{Items: batch.Items[10:]})[0].Err)
	a.scan()
	a.ok(a.enqueue(store.Batch{Items: batch.Items[:10]})[0].Err)
	claim := store.Claim{Node: "n1", Lanes: a.lanes, MaxBytes: 12_000}
	for rounds := 0; len(ids) > 0; rounds++ {
		if rounds == 20 {
			t.Fatalf("%d are left", len(ids))
		}
		claim.Items = nil
		for _, id := range ids {
			claim.Items = append(claim.Items, store.ClaimItem{ID: id})
		}
		claimed, err := a.s.Claim(t.Context(), claim)
		a.ok(err)
		if len(claimed.Refused) > 0 || len(claimed.Tasks) == 0 || len(claimed.Tasks) > 12 {
			t.Fatalf("claimed %d, refused %+v", len(claimed.Tasks), claimed.Refused)
		}
		gone := map[task.ID]bool{}
		for _, one := range claimed.Tasks {
			gone[one.ID] = true
		}
		rest := ids[:0]
		for _, id := range ids {
			if !gone[id] {
				rest = append(rest, id)
			}
		}
		ids = rest
	}
}
