package agenda_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// BenchmarkTask takes tasks the whole way through the near future, in batches, over a
// thousand that wait: added, due, chosen, concluded and ended.
func BenchmarkTask(b *testing.B) {
	for _, targets := range []int{1, 100} {
		b.Run(strconv.Itoa(targets)+"targets", func(b *testing.B) { throughNearFuture(b, targets) })
	}
}

func throughNearFuture(b *testing.B, targets int) {
	const batch = 64
	a := agenda.New(agenda.Config{NearFuture: 1 << 20, Slots: 1000, Share: 1})
	q := a.Own(0, 1, "q").Queue()
	now := time.Unix(1_000_000, 0)
	a.LookAhead(now, 24*time.Hour)
	names := make([]string, targets)
	for i := range names {
		names[i] = "target" + strconv.Itoa(i)
	}
	policy := retry.Default()
	row := func(n int64, at time.Time) store.Entry {
		row := store.Entry{RunAt: at.UnixMicro(), Rank: at.UnixMicro(), Seq: n, Type: "t", Target: names[n%int64(targets)]}
		row.ID = task.ID{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}.WithLane(0)
		return row
	}
	seq := int64(0)
	for range 1000 {
		seq++
		a.Add(q, row(seq, now.Add(23*time.Hour)), true)
	}
	b.ReportAllocs()
	for done := 0; done < b.N; {
		for range min(batch, b.N-done) {
			seq++
			a.Add(q, row(seq, now), true)
		}
		now = now.Add(time.Millisecond)
		a.Due(now)
		chosen := a.Choose(agenda.BatchLimit{Slots: batch, Rows: batch, Bytes: 1 << 30})
		if len(chosen) == 0 {
			b.Fatal("nothing may start")
		}
		for _, e := range chosen {
			a.Conclude(e, guard.Feedback{At: now, Took: time.Millisecond, First: true, Policy: policy})
			a.End(e, time.Time{})
			a.Forget(e)
		}
		done += len(chosen)
	}
}
