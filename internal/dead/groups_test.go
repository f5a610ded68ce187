package dead_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/store"
)

// Groups of several queues become one by fingerprint: counts add up, the times span
// both, and the rest is of the letter that died last.
func TestTogether(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	got := dead.Together([]store.DeadGroup{
		{Fingerprint: "large", Count: 4, FirstSeen: at(1), LastSeen: at(2)},
		{Fingerprint: "both", Count: 3, Reason: "exhausted", Message: "old", FirstSeen: at(1), LastSeen: at(5)},
		{Fingerprint: "both", Count: 2, Reason: "rejected", Message: "new", FirstSeen: at(3), LastSeen: at(9)},
		{Fingerprint: "also", Count: 4, FirstSeen: at(1), LastSeen: at(2)},
	})
	want := []store.DeadGroup{
		{Fingerprint: "both", Count: 5, Reason: "rejected", Message: "new", FirstSeen: at(1), LastSeen: at(9)},
		{Fingerprint: "also", Count: 4, FirstSeen: at(1), LastSeen: at(2)},
		{Fingerprint: "large", Count: 4, FirstSeen: at(1), LastSeen: at(2)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
