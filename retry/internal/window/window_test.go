package window

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestWindowHolds: a window holds all events of its span but the oldest tenth or
// so, and none that are older than a tenth more.
func TestWindowHolds(t *testing.T) {
	const span = 10 * time.Second
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		w.Init(span)
		at := time.Duration(rapid.Int64Range(-1e18, 1e18).Draw(t, "start"))
		var events [Kinds][]time.Duration
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			at += rapid.SampledFrom([]time.Duration{0, 0, 1, time.Second / 3, time.Second, 7 * time.Second, time.Hour}).Draw(t, "pause")
			w.Turn(at)
			if rapid.IntRange(0, 3).Draw(t, "quiet") > 0 { // looking without an event
				kind := rapid.IntRange(0, Kinds-1).Draw(t, "kind")
				w.Add(kind)
				events[kind] = append(events[kind], at)
			}
			for kind, got := range w.Counts() {
				least, most := int64(0), int64(0)
				for _, e := range events[kind] {
					if at-e <= span-span/windowSlots {
						least++
					}
					if at-e <= span+span/windowSlots {
						most++
					}
				}
				if got < least || got > most {
					t.Fatalf("%d events of kind %d, %d to %d expected", got, kind, least, most)
				}
			}
		}
		w.Reset(at)
		if w.Counts() != [Kinds]int64{} {
			t.Fatalf("%v after a reset", w.Counts())
		}
	})
}

// TestWindowBefore: the slots before the window are the youngest events that are
// older than it, whole slots, none twice.
func TestWindowBefore(t *testing.T) {
	var w Window
	w.Init(10 * time.Second)
	at := time.Duration(0)
	for range 30 {
		w.Turn(at)
		w.Add(1)
		w.Add(1)
		at += 5 * time.Second
	}
	at += time.Minute
	w.Turn(at)
	if got := w.Counts(); got != [Kinds]int64{} {
		t.Fatalf("%v in the window", got)
	}
	slots := 0
	w.Before(func(counts [Kinds]int64) bool {
		if counts != [Kinds]int64{0, 2} {
			t.Errorf("a slot of %v", counts)
		}
		slots++
		return slots < 5
	})
	if slots != 5 {
		t.Errorf("%d slots remembered, five are wanted", slots)
	}
}

// TestWindowLosesNothing: events from many goroutines while the window turns are
// all in the totals.
func TestWindowLosesNothing(t *testing.T) {
	var w Window
	w.Init(time.Second)
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for i := range 2000 {
				at := time.Duration(i) * time.Millisecond
				if w.Over(at) {
					mu.Lock()
					w.Turn(at)
					mu.Unlock()
				}
				w.Add(i % Kinds)
				w.Counts()
			}
		})
	}
	group.Wait()
	if got := w.Totals(); got != [Kinds]int64{32_000, 32_000, 32_000, 32_000} {
		t.Errorf("%v", got)
	}
}
