package outlast_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/prom"
	"github.com/outlast-dev/outlast/store/memory"
)

// BenchmarkBurnDown enqueues and runs tasks with a typed payload, with and
// without metrics, on the store in memory.
func BenchmarkBurnDown(b *testing.B) {
	for _, measured := range []bool{false, true} {
		b.Run("metrics="+strconv.FormatBool(measured), func(b *testing.B) {
			var opts []outlast.Option
			if measured {
				opts = append(opts, prom.Register(prometheus.NewRegistry()))
			}
			burnDown(b, opts...)
		})
	}
}

func burnDown(b *testing.B, opts ...outlast.Option) {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New(), opts...)
	if err != nil {
		b.Fatal(err)
	}
	var left atomic.Int64
	done := make(chan struct{})
	outlast.Handle(client, "t", func(context.Context, mail) error {
		if left.Add(-1) == 0 {
			close(done)
		}
		return nil
	})
	if err := client.Start(ctx); err != nil {
		b.Fatal(err)
	}
	left.Store(int64(b.N))
	drafts := make([]outlast.Draft, 1000)
	for i := range drafts {
		drafts[i] = outlast.Draft{Type: "t", Payload: []byte(`{"to":"a","n":1}`)}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := b.N; n > 0; n -= len(drafts) {
		if _, err := client.EnqueueMany(ctx, drafts[:min(n, len(drafts))], true); err != nil {
			b.Fatal(err)
		}
	}
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	if err := client.Stop(ctx); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkEnqueueMany is the cost of accepting tasks in batches.
func BenchmarkEnqueueMany(b *testing.B) {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New(), outlast.WithEnqueueOnly())
	if err != nil {
		b.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		b.Fatal(err)
	}
	drafts := make([]outlast.Draft, 1000)
	for i := range drafts {
		drafts[i] = outlast.Draft{Type: "t", Payload: []byte(`{"to":"a","n":1}`)}
	}
	b.ReportAllocs()
	for n := b.N; n > 0; n -= len(drafts) {
		if _, err := client.EnqueueMany(ctx, drafts[:min(n, len(drafts))], true); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	if err := client.Stop(ctx); err != nil {
		b.Fatal(err)
	}
}
