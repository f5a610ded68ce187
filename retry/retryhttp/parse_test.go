package retryhttp

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestAnnounced is the table of headers that are understood.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	later := func(d time.Duration) time.Time { return noon.Add(d) }
	for _, row := range []struct {
		name    string
		headers string // name: value, separated by lines
		want    retry.Info
		known   bool
	}{
		{"nothing", "", retry.Info{}, false},
		{"unrelated", "Accept: */*", retry.Info{}, false},
		{"own", "Outlast-Attempt: 2\nOutlast-Max-Attempts: 5", retry.Info{Attempt: 2, MaxAttempts: 5}, true},
		{"own, all in one", "Retry-Attempt: 3;max=4;ddl=1500", retry.Info{Attempt: 3, MaxAttempts: 4, Deadline: later(1500 * time.Millisecond)}, true},
		{"own, with spaces", "Retry-Attempt: 3; max=4; ddl=20", retry.Info{Attempt: 3, MaxAttempts: 4, Deadline: later(20 * time.Millisecond)}, true},
		{"a deadline alone", "Outlast-Deadline: 2026-11-20T12:00:03Z", retry.Info{Attempt: 1, Deadline: later(3 * time.Second)}, true},
		{"a deadline in another zone", "Outlast-Deadline: 2026-11-20T20:00:03.5+08:00", retry.Info{Attempt: 1, Deadline: later(3500 * time.Millisecond)}, true},
		{"a deadline by another clock", "Outlast-Deadline: 2026-11-20T13:00:03Z\nDate: Fri, 20 Nov 2026 13:00:00 GMT",
			retry.Info{Attempt: 1, Deadline: later(3 * time.Second)}, true},
		{"a pushed task with another clock", "Outlast-Attempt: 2\nOutlast-Deadline: 2020-01-01T00:00:09Z\nWebhook-Timestamp: 1577836800",
			retry.Info{Attempt: 2, Deadline: later(9 * time.Second)}, true},
		{"time left precedes a time", "Retry-Attempt: 1;ddl=100\nOutlast-Deadline: 2020-01-01T00:00:00Z", retry.Info{Attempt: 1, Deadline: later(100 * time.Millisecond)}, true},
		{"Envoy", "X-Envoy-Attempt-Count: 3", retry.Info{Attempt: 3}, true},
		{"a proxy that repeats by itself", "Outlast-Attempt: 1\nOutlast-Max-Attempts: 2\nX-Envoy-Attempt-Count: 3", retry.Info{Attempt: 3}, true},
		{"gRPC", "Grpc-Previous-Rpc-Attempts: 2\nGrpc-Timeout: 250m", retry.Info{Attempt: 3, Deadline: later(250 * time.Millisecond)}, true},
		{"gRPC hours", "Grpc-Timeout: 2H", retry.Info{Attempt: 1, Deadline: later(2 * time.Hour)}, true},
		{"AWS", "Amz-Sdk-Request: attempt=2; max=3", retry.Info{Attempt: 2, MaxAttempts: 3}, true},
		{"Google Cloud", "X-Goog-Api-Client: gl-go/1.26 gccl/1.50 gccl-attempt-count/4 gccl-invocation-id/abc", retry.Info{Attempt: 4}, true},

		{"zero", "Outlast-Attempt: 0", retry.Info{}, false},
		{"negative", "Outlast-Attempt: -3", retry.Info{}, false},
		{"a sign", "Outlast-Attempt: +3", retry.Info{}, false},
		{"no number", "Outlast-Attempt: two", retry.Info{}, false},
		{"a fraction", "Retry-Attempt: 2.5", retry.Info{}, false},
		{"too large", "Outlast-Attempt: 99999999999999999999999", retry.Info{Attempt: 1000}, true},
		{"too large for gRPC", "Grpc-Previous-Rpc-Attempts: 1000", retry.Info{Attempt: 1000}, true},
		{"long", "Outlast-Attempt: " + strings.Repeat("9", 100_000), retry.Info{Attempt: 1000}, true},
		{"an absurd limit", "Retry-Attempt: 2;max=9999999", retry.Info{Attempt: 2}, true},
		{"a limit below the attempt", "Retry-Attempt: 7;max=3", retry.Info{Attempt: 7}, true},
		{"a far deadline", "Outlast-Attempt: 2\nOutlast-Deadline: 9999-12-31T23:59:59Z", retry.Info{Attempt: 2}, true},
		{"far time left", "Retry-Attempt: 2;ddl=9223372036854775807", retry.Info{Attempt: 2, Deadline: later(24 * time.Hour)}, true},
		{"a passed deadline", "Outlast-Attempt: 2\nOutlast-Deadline: 2026-11-20T11:00:00Z", retry.Info{Attempt: 2, Deadline: later(-time.Hour)}, true},
		{"a broken deadline", "Outlast-Attempt: 2\nOutlast-Deadline: tomorrow", retry.Info{Attempt: 2}, true},
		{"many parts", "Retry-Attempt: 2" + strings.Repeat(";max=3", 10_000), retry.Info{Attempt: 2, MaxAttempts: 3}, true},
		{"gRPC without a unit", "Grpc-Timeout: 100", retry.Info{}, false},
		{"gRPC too long", "Grpc-Timeout: 1234567890m", retry.Info{}, false},
		{"the far future in gRPC", "Grpc-Timeout: 99999999H", retry.Info{}, false},
	} {
		h := make(http.Header)
		for line := range strings.SplitSeq(row.headers, "\n") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				h.Set(name, value)
			}
		}
		got, known := announced(h, noon)
		if known != row.known || got.Attempt != row.want.Attempt || got.MaxAttempts != row.want.MaxAttempts || !got.Deadline.Equal(row.want.Deadline) {
			t.Errorf("%s: got %+v %v, want %+v %v", row.name, got, known, row.want, row.known)
		}
	}
}

// TestAnnouncementsAreUnderstood: what is sent is read back, whatever the clocks.
func TestAnnouncementsAreUnderstood(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(3 * time.Second)
	h := announce(http.Header{"X": {"y"}, "Outlast-Attempt": {"9"}}, 2, 5, deadline)
	got, ok := announced(h, noon)
	left := got.Deadline.Sub(noon)
	if !ok || got.Attempt != 2 || got.MaxAttempts != 5 || left > 3*time.Second || left < 2*time.Second {
		t.Errorf("%+v %v from %v", got, ok, h)
	}
	if h.Get("X") != "y" || h.Get("Outlast-Deadline") != deadline.UTC().Format(time.RFC3339Nano) {
		t.Error(h)
	}
	if none := announce(h, 1, 0, time.Time{}); none.Get("Outlast-Deadline") != "" || none.Get("Outlast-Max-Attempts") != "" || none.Get("Retry-Attempt") != "1" {
		t.Error("of an earlier attempt:", none)
	}
}

// FuzzAnnounced: whatever the headers say, the result is within bounds.
func FuzzAnnounced(f *testing.F) {
	f.Add("3;max=4;ddl=1500", "2026-11-20T12:00:03Z", "Fri, 20 Nov 2026 13:00:00 GMT", "attempt=2; max=3", "250m")
	f.Add("999999999999999999999;max=-1;ddl=;;", "0000-01-01T00:00:00Z", "", "attempt=", "9H")
	f.Fuzz(func(t *testing.T, own, deadline, date, aws, timeout string) {
		h := http.Header{headerRetryAttempt: {own}, headerDeadline: {deadline}, "Date": {date}, "Amz-Sdk-Request": {aws}, "Grpc-Timeout": {timeout}, headerAttempt: {own}}
		info, ok := announced(h, noon)
		if ok != (info != retry.Info{}) || ok && info.Attempt < 1 || info.Attempt > mostAttempt || info.MaxAttempts < 0 || info.MaxAttempts > mostAttempts ||
			info.MaxAttempts > 0 && info.MaxAttempts < info.Attempt || info.Deadline.After(noon.Add(farthest)) {
			t.Fatalf("%+v %v", info, ok)
		}
	})
}
