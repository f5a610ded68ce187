package retry

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"
)

// BenchmarkDecision is one decision with the classification of a wrapped error:
// at most 250 ns and one allocation for the types that come up all the time.
// gRPC statuses are read by reflection here; package retry/retrygrpc reads them
// by type.
func BenchmarkDecision(b *testing.B) {
	policy := must(New())
	for _, c := range []struct {
		name string
		err  error
	}{
		{"reset", fmt.Errorf("call: %w", during("read", call(syscall.ECONNRESET)))},
		{"refused", get(dial(call(syscall.ECONNREFUSED)))},
		{"EOF", get(io.EOF)},
		{"deadline", get(context.DeadlineExceeded)},
		{"attempt timeout", fmt.Errorf("call: %w", ErrAttemptTimeout)},
		{"SQLSTATE", fmt.Errorf("insert: %w", databaseError("40001"))},
		{"MySQL", fmt.Errorf("insert: %w", &MySQLError{Number: 1213})},
		{"Redis", fmt.Errorf("get: %w", redisError("LOADING Redis is loading the dataset in memory"))},
		{"gRPC", fmt.Errorf("call: %w", grpcError{code: 14})},
		{"text", fmt.Errorf("call: %w", fmt.Errorf("connection timeout"))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v := Classify(c.err)
				policy.Decide(Failure{Attempt: 1, Verdict: v, Err: c.err, Now: time.Time{}}, nil)
			}
		})
	}
}
