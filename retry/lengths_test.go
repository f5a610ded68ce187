package retry

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Buckets are in order, without gaps, and no wider than a quarter of what they
// hold, beyond the first few.
func TestLengthBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(-5, math.MaxInt64).Draw(t, "length") >> rapid.IntRange(0, 62).Draw(t, "shift"))
		bucket := lengthBucket(d)
		if bucket == 4*lengthDoublings-1 {
			return
		}
		if high := lengthEdge(bucket); d >= high || high > max(d, 0)+max(d/4, 1<<lengthShift) {
			t.Fatalf("%v is in bucket %d, which ends at %v", d, bucket, high)
		}
		if low := lengthEdge(bucket - 1); bucket > 0 && d < low {
			t.Fatalf("%v is in bucket %d, which begins at %v", d, bucket, low)
		}
	})
}

func TestLengthsQuantile(t *testing.T) {
	var l lengths
	for n := range 9 {
		l.add(time.Duration(n) * time.Millisecond)
	}
	if _, ok := l.quantile(0.5); ok {
		t.Error("nine lengths are too few")
	}
	l = lengths{}
	for n := range 100 {
		l.add(time.Duration(n+1) * time.Millisecond)
	}
	for q, want := range map[float64]time.Duration{0: 2 * time.Millisecond, 0.5: 51 * time.Millisecond, 0.9: 91 * time.Millisecond, 0.98: 99 * time.Millisecond} {
		if got, ok := l.quantile(q); !ok || got < want-time.Millisecond || got > want+want/4 {
			t.Errorf("quantile %v is %v %v, want about %v", q, got, ok, want)
		}
	}
	if _, ok := l.quantile(0.99); ok {
		t.Error("one length beyond the quantile is too few")
	}
}

// Old lengths fade, and nothing is lost when many add at once.
func TestLengthsFade(t *testing.T) {
	var l lengths
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				l.add(time.Second)
			}
		})
	}
	all.Wait()
	sum := int32(0)
	for i := range l.counts {
		sum += l.counts[i].Load()
	}
	if total := l.total.Load(); total != sum || total < 100 || total >= mostLengths {
		t.Errorf("total %d, sum %d", total, sum)
	}
	for range 2 * mostLengths {
		l.add(time.Millisecond)
	}
	if got, _ := l.quantile(0.7); got > 2*time.Millisecond {
		t.Errorf("after many short ones the quantile is %v", got)
	}
}

// Many that add while one halves the buckets may leave more than the most; they
// fade all the same.
func TestLengthsFadeLate(t *testing.T) {
	var l lengths
	l.total.Store(3 * mostLengths)
	l.counts[7].Store(3 * mostLengths)
	for range 3 {
		l.add(time.Second)
	}
	if total := l.total.Load(); total >= mostLengths {
		t.Errorf("%d are kept", total)
	}
}

// The cheap clock agrees with time.Now, also in bubbles with another time, before
// and after each other.
func TestClock(t *testing.T) {
	agree := func(t *testing.T) {
		for range 3 {
			before, got, after := time.Now(), clock(), time.Now()
			if got.Before(before) || got.After(after) || got.UnixNano() < before.UnixNano()-1e6 || got.UnixNano() > after.UnixNano()+1e6 {
				t.Errorf("%v is not between %v and %v", got, before, after)
			}
		}
	}
	for range 3 {
		agree(t)
		synctest.Test(t, func(t *testing.T) {
			agree(t)
			time.Sleep(30 * time.Second)
			agree(t)
			time.Sleep(time.Hour)
			agree(t)
		})
	}
}
