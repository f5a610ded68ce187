package sqlite_test

import (
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const benchBatch = 1000

// fill inserts n due tasks in batches and returns their ids.
func (f *fixture) fill(n int) []task.ID {
	ids := make([]task.ID, 0, n)
	for i := 0; i < n; i += benchBatch {
		tasks := make([]*task.Task, benchBatch)
		for k := range tasks {
			tasks[k] = f.task(k)
			ids = append(ids, tasks[k].ID)
		}
		f.insert(tasks...)
	}
	return ids
}

// perSecond reports tasks rather than iterations.
func perSecond(b *testing.B, n int) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tasks/s")
}

func BenchmarkInsertBatches(b *testing.B) {
	f := newFixture(b, 8)
	n := 0
	for b.Loop() {
		f.fill(benchBatch)
		n += benchBatch
	}
	perSecond(b, n)
}

// BenchmarkBurnDown claims and settles batches of 1000.
func BenchmarkBurnDown(b *testing.B) {
	f := newFixture(b, 8)
	const backlog = 50_000
	var ids []task.ID
	n := 0
	for b.Loop() {
		if len(ids) == 0 {
			b.StopTimer()
			ids = f.fill(backlog)
			b.StartTimer()
		}
		f.succeed(f.claim(ids[:benchBatch]...)...)
		ids = ids[benchBatch:]
		n += benchBatch
	}
	perSecond(b, n)
}

// BenchmarkFailOnce lets every task fail once and then succeed.
func BenchmarkFailOnce(b *testing.B) {
	f := newFixture(b, 8)
	n := 0
	for b.Loop() {
		b.StopTimer()
		ids := f.fill(benchBatch)
		b.StartTimer()
		var failures []store.Settlement
		for _, t := range f.claim(ids...) {
			failures = append(failures, store.Settlement{Task: t, Outcome: task.OutcomeFailed, Failure: &task.Failure{Category: "down", Message: "no"}})
		}
		_, err := f.Settle(f.ctx, failures)
		f.ok(err)
		f.succeed(f.claim(ids...)...)
		n += benchBatch
	}
	perSecond(b, n)
}

// BenchmarkSingleEnqueues measures group commit: each call is durable on
// return.
func BenchmarkSingleEnqueues(b *testing.B) {
	for _, callers := range []int{1, 16, 64, 256} {
		b.Run(string(rune('a'))+itoa(callers), func(b *testing.B) {
			f := newFixture(b, 8)
			per := max(20, 4000/callers)
			n := 0
			for b.Loop() {
				b.StopTimer()
				tasks := make([]*task.Task, callers*per)
				for i := range tasks {
					tasks[i] = f.task(i)
				}
				b.StartTimer()
				var wait sync.WaitGroup
				for c := range callers {
					wait.Go(func() {
						for _, t := range tasks[c*per : (c+1)*per] {
							f.insert(t)
						}
					})
				}
				wait.Wait()
				n += len(tasks)
			}
			perSecond(b, n)
		})
	}
}

// BenchmarkSteps adds steps of so many tasks in one call, as the engine makes of those of
// concurrent handlers.
func BenchmarkSteps(b *testing.B) {
	for _, group := range []int{1, 16, 256} {
		b.Run(itoa(group), func(b *testing.B) {
			f := newFixture(b, 8)
			tasks := f.claim(f.fill(benchBatch)[:group]...)
			steps := make([]task.Step, group)
			for i, t := range tasks {
				steps[i] = stepsOf(t, 1)[0]
			}
			n := 0
			for b.Loop() {
				for i := range steps {
					steps[i].Seq, steps[i].Occurrence = n%task.MaxSteps+1, n%task.MaxSteps+1
				}
				f.addSteps(steps...)
				n++
			}
			b.ReportMetric(float64(n*group)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
