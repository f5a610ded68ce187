package agenda

import (
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// of adds entries of a share key and a target.
func (b *bench) of(key, target string, count int) {
	b.t.Helper()
	for range count {
		b.seq++
		row := store.Entry{RunAt: b.at.UnixMicro(), Rank: b.seq, Seq: b.seq, Target: target, Type: "t", Share: key}
		row.ID = task.ID{byte(b.seq >> 16), byte(b.seq >> 8), byte(b.seq)}.WithLane(0)
		if b.Agenda.Add(b.queueOf("q"), row, true) == nil {
			b.t.Fatalf("there is no room for one of %s", key)
		}
	}
}

// over ends an attempt that has succeeded.
func (b *bench) over(e *Entry) { b.end(e, "", retry.Default()) }

// inTurn starts tasks one after the other, and calls do with each until it has enough.
func (b *bench) inTurn(most int, do func(e *Entry, starts int) (enough bool)) {
	b.t.Helper()
	for starts := 1; starts <= most; starts++ {
		chosen := b.start(1)
		if len(chosen) != 1 {
			b.t.Fatalf("nothing starts after %d", starts-1)
		}
		enough := do(chosen[0], starts)
		b.over(chosen[0])
		if enough {
			return
		}
	}
	b.t.Fatalf("not enough after %d starts", most)
}

func modest(i int) string { return fmt.Sprintf("modest %d", i) }

// One key with a backlog delays nobody: whoever comes starts in the next round, with all
// of its tasks within as many rounds.
func TestStartsGoRoundShareKeys(t *testing.T) {
	const keys, each = 100, 5
	for _, targets := range []int{1, 50} {
		b := newBench(t, 4)
		for i := range targets {
			b.of("greedy", fmt.Sprint("t", i), 4000/targets)
		}
		b.inTurn(200, func(_ *Entry, starts int) bool { return starts == 200 })
		for i := range keys {
			b.of(modest(i), "t0", each)
		}
		left, first := keys*each, map[string]bool{}
		b.inTurn(each*(keys+1), func(e *Entry, starts int) bool {
			if e.Share != "greedy" {
				left--
				first[e.Share] = true
			}
			if starts == keys+1 && len(first) != keys {
				t.Errorf("after a round, %d of %d keys have started something", len(first), keys)
			}
			return left == 0
		})
	}
}

// However long the tasks of one key run, those of others find a slot: an eighth is left
// to keys that have few.
func TestSlotsAreLeftToOtherShareKeys(t *testing.T) {
	b := newBench(t, 80)
	b.of("greedy", "t", 1000)
	running := b.start(1000)
	if len(running) != 70 || len(b.start(1000)) != 0 {
		t.Fatalf("%d of 80 slots are taken by one key", len(running))
	}
	for e := range b.Entries {
		if r, _ := b.Explain(e.ID, b.at); e.where == isReady && r.Why != task.NoSlot {
			t.Fatalf("one waits for %+v", r)
		}
	}
	for i := range 10 {
		b.of(modest(i), "t", 5)
	}
	if fresh := b.start(1000); len(fresh) != 10 {
		t.Errorf("%d start in the slots that are left", len(fresh))
	}
	b.over(running[0])
	if fresh := b.start(1000); len(fresh) != 1 || fresh[0].Share == "greedy" {
		t.Errorf("%d start in the slot of one that has ended", len(fresh))
	}
}

// Tasks without a share key have one turn together.
func TestTasksWithoutShareKeyAreOneShare(t *testing.T) {
	b := newBench(t, 4)
	b.of("", "t", 1000)
	b.of("a", "t", 10)
	left := 10
	b.inTurn(21, func(e *Entry, _ int) bool {
		if e.Share == "a" {
			left--
		}
		return left == 0
	})
}

// A target that is at its limit again after each start has streams that sleep; each key
// gets its turn all the same, and those that come go to the end.
func TestShareKeysOfABusyTarget(t *testing.T) {
	const keys, each = 300, 4
	b := &bench{Agenda: New(Config{NearFuture: 100_000, Slots: 4, Share: 0.5}), t: t, at: time.Unix(1_000_000, 0)}
	b.Own(0, 1, "q")
	b.horizon = 1 << 60
	b.of("greedy", "t", 3000)
	for i := range keys {
		b.of(modest(i), "t", each)
	}
	running := b.start(10)
	counts, starts := map[string]int{}, 0
	for round := 1; round <= each; round++ {
		for range keys + 1 {
			b.over(running[0])
			fresh := b.start(10)
			if len(fresh) != 1 {
				t.Fatalf("%d start where one has ended", len(fresh))
			}
			starts++
			counts[fresh[0].Share]++
			running = append(running[1:], fresh...)
		}
		for i := range keys {
			if n := counts[modest(i)]; n < round-1 {
				t.Fatalf("after %d rounds, %s has started %d", round, modest(i), n)
			}
		}
	}
	if n := counts["greedy"]; n > 2*each {
		t.Errorf("the greedy one has started %d of %d", n, starts)
	}
}

// What may not be called, or not yet, costs a key no turn, and saves it none.
func TestAShareKeySavesNoTurns(t *testing.T) {
	b := newBench(t, 4)
	b.SetQueue("q", QueueSettings{Weight: 1})
	b.of("a", "t", 500)
	b.inTurn(100, func(_ *Entry, starts int) bool { return starts == 100 })
	b.of("b", "t", 500)
	counts := map[string]int{}
	b.inTurn(100, func(e *Entry, starts int) bool { counts[e.Share]++; return starts == 100 })
	if counts["a"] < 49 || counts["b"] < 49 {
		t.Errorf("one that came later has started %d, the other one %d", counts["b"], counts["a"])
	}
}

func TestConcurrencyOfShareKeys(t *testing.T) {
	b := newBench(t, 10)
	b.SetQueue("q", QueueSettings{Weight: 1, Each: EachShare{Most: 2}})
	b.of("a", "t", 100)
	b.of("b", "t", 1)
	b.of("", "t", 5)
	running := b.start(10)
	counts := map[string]int{}
	for _, e := range running {
		counts[e.Share]++
	}
	if counts["a"] != 2 || counts["b"] != 1 || counts[""] != 2 {
		t.Fatalf("%v run", counts)
	}
	for e := range b.Entries {
		if e.where != isReady {
			continue
		}
		if r, _ := b.Explain(e.ID, b.at); r.Why != task.AtShareLimit || !r.Until.IsZero() {
			t.Fatalf("one of %q waits for %+v", e.Share, r)
		}
	}
	b.over(running[0])
	if fresh := b.start(10); len(fresh) != 1 || fresh[0].Share != running[0].Share {
		t.Fatalf("%d start where one of %q has ended", len(fresh), running[0].Share)
	}
	b.SetQueue("q", QueueSettings{Weight: 1})
	if fresh := b.start(10); len(fresh) != 4 { // the last slot is left to others
		t.Errorf("%d start without a limit", len(fresh))
	}
}

// The rate of a share key holds over any time but for what may be started ahead of it,
// and holds no other key up. It outlives the tasks of the key.
func TestRateOfShareKeys(t *testing.T) {
	b := newBench(t, 1000)
	b.SetQueue("q", QueueSettings{Weight: 1, Each: EachShare{Gap: 20_000}}) // 50/s
	b.of("a", "t", 500)
	counts := map[string]int{}
	for step := range 200 { // 2 s
		b.of("b", "t", step%4/3) // 25/s
		for _, e := range b.start(100) {
			counts[e.Share]++
			b.over(e)
		}
		next, ok := b.Next()
		if !ok || next > b.at.Add(100*time.Millisecond).UnixMicro() {
			t.Fatalf("nothing is asked until %v", time.UnixMicro(next))
		}
		b.at = b.at.Add(10 * time.Millisecond)
	}
	if n := counts["a"]; n < 95 || n > 107 {
		t.Errorf("%d have started in 2 s under 50/s", n)
	}
	if counts["b"] != 50 {
		t.Errorf("%d of 50 of the other key have started", counts["b"])
	}
	b = newBench(t, 10)
	b.SetQueue("q", QueueSettings{Weight: 1, Each: EachShare{Gap: time.Hour.Microseconds()}})
	b.of("a", "t", 1)
	b.over(b.start(10)[0])
	b.at = b.at.Add(59 * time.Minute)
	b.of("a", "t", 1)
	if len(b.start(10)) != 0 {
		t.Error("two have started within an hour")
	}
	b.at = b.at.Add(time.Minute)
	if len(b.start(10)) != 1 {
		t.Error("nothing starts after an hour")
	}
	b.at = b.at.Add(2 * time.Hour)
	if b.Due(b.at); len(b.queueOf("q").shares) != 2 {
		t.Errorf("%d shares are known", len(b.queueOf("q").shares))
	}
}
