package lengths

import (
	"math"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Buckets are in order, without gaps, and no wider than a quarter of what they
// hold, beyond the first few.
func TestLengthBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(-5, math.MaxInt64).Draw(t, "length") >> rapid.IntRange(0, 62).Draw(t, "shift"))
		b := bucket(d)
		if b == 4*doublings-1 {
			return
		}
		if high := edge(b); d >= high || high > max(d, 0)+max(d/4, 1<<unitShift) {
			t.Fatalf("%v is in bucket %d, which ends at %v", d, b, high)
		}
		if low := edge(b - 1); b > 0 && d < low {
			t.Fatalf("%v is in bucket %d, which begins at %v", d, b, low)
		}
	})
}

func TestLengthsQuantile(t *testing.T) {
	var l Histogram
	for n := range 9 {
		l.Add(time.Duration(n) * time.Millisecond)
	}
	if _, ok := l.Quantile(0.5); ok {
		t.Error("nine lengths are too few")
	}
	l = Histogram{}
	for n := range 100 {
		l.Add(time.Duration(n+1) * time.Millisecond)
	}
	for q, want := range map[float64]time.Duration{0: 2 * time.Millisecond, 0.5: 51 * time.Millisecond, 0.9: 91 * time.Millisecond, 0.98: 99 * time.Millisecond} {
		if got, ok := l.Quantile(q); !ok || got < want-time.Millisecond || got > want+want/4 {
			t.Errorf("quantile %v is %v %v, want about %v", q, got, ok, want)
		}
	}
	if _, ok := l.Quantile(0.99); ok {
		t.Error("one length beyond the quantile is too few")
	}
}

// Old lengths fade, and nothing is lost when many add at once.
func TestLengthsFade(t *testing.T) {
	var l Histogram
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				l.Add(time.Second)
			}
		})
	}
	all.Wait()
	sum := int32(0)
	for i := range l.counts {
		sum += l.counts[i].Load()
	}
	if total := l.total.Load(); total != sum || total < 100 || total >= most {
		t.Errorf("total %d, sum %d", total, sum)
	}
	for range 2 * most {
		l.Add(time.Millisecond)
	}
	if got, _ := l.Quantile(0.7); got > 2*time.Millisecond {
		t.Errorf("after many short ones the quantile is %v", got)
	}
}

// Many that add while one halves the buckets may leave more than the most; they
// fade all the same.
func TestLengthsFadeLate(t *testing.T) {
	var l Histogram
	l.total.Store(3 * most)
	l.counts[7].Store(3 * most)
	for range 3 {
		l.Add(time.Second)
	}
	if total := l.total.Load(); total >= most {
		t.Errorf("%d are kept", total)
	}
}

// The first attempts are all counted, later ones seldom.
func TestWants(t *testing.T) {
	var l Histogram
	for ns := range int64(1000) {
		if began := time.Unix(0, ns); l.Wants(began) {
			l.Add(time.Millisecond)
		}
	}
	if total := l.total.Load(); total != enough+(1000-enough+sampled-1)/sampled {
		t.Errorf("%d of 1000 are counted", total)
	}
}
