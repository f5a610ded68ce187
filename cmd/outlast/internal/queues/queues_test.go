package queues

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// Numbers that were counted to a bound say so.
func TestCountsThatMayBeLarger(t *testing.T) {
	var text strings.Builder
	queueRows([]client.Queue{{Name: "q", Counts: &client.QueueCounts{Pending: 10_000, Parked: 7, Running: 9_999, Dead: 10_000}}})(&text)
	if !strings.Contains(text.String(), "10000+\t7\t9999\t10000+") {
		t.Errorf("%s", text.String())
	}
}

// Delays that are not known are told as that.
func TestDelays(t *testing.T) {
	var text strings.Builder
	queueRows([]client.Queue{
		{Name: "idle"},
		{Name: "busy", OldestDue: client.Duration(1_500_400_000), Recent: &client.SeriesPoint{Wait: &client.SeriesPercentiles{P99: client.Duration(2_000_000)}}},
	})(&text)
	if !strings.Contains(text.String(), "\t1.5s\t2ms\t") || !strings.Contains(text.String(), "\t-\t-\t0") {
		t.Errorf("%s", text.String())
	}
}
