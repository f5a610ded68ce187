package retryhttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Headers come from outside: what is out of bounds is cut or ignored.
const (
	// mostAttempt cuts attempt numbers.
	mostAttempt = 1000
	// mostAttempts is the largest limit of attempts that is believed.
	mostAttempts = 1_000_000
	// farthest is how far away a deadline may be to be kept.
	farthest = 24 * time.Hour
	// mostHeader is how much of a header is looked at.
	mostHeader = 256
)

// announced reads what the headers tell about the attempt; false when they tell
// nothing. Of several attempt numbers the largest counts: a proxy that repeats
// does not know the client's. Of several deadlines the earliest counts.
//
// Sources: gRPC A6 (grpc-previous-rpc-attempts) and the gRPC protocol
// (grpc-timeout), Envoy's router filter (x-envoy-attempt-count), the AWS SDKs
// (amz-sdk-request), the Google Cloud libraries (gccl-attempt-count).
func announced(h http.Header, now time.Time) (retry.Info, bool) {
	var r reading
	r.own(h, now)
	r.attempt(text(h, "X-Envoy-Attempt-Count"), 0)
	r.attempt(text(h, "Grpc-Previous-Rpc-Attempts"), 1)
	if _, count, ok := strings.Cut(text(h, "X-Goog-Api-Client"), "gccl-attempt-count/"); ok {
		count, _, _ = strings.Cut(count, " ")
		r.attempt(count, 0)
	}
	r.aws(text(h, "Amz-Sdk-Request"))
	if left, ok := grpcTimeout(text(h, "Grpc-Timeout")); ok {
		r.deadline(now.Add(left), now)
	}
	if r.info.Attempt == 0 && r.info.Deadline.IsZero() {
		return retry.Info{}, false
	}
	r.info.Attempt = max(r.info.Attempt, 1)
	if r.info.MaxAttempts < r.info.Attempt {
		r.info.MaxAttempts = 0 // it is of another counter
	}
	return r.info, true
}

// text is the beginning of the first value of a header.
func text(h http.Header, name string) string {
	values := h[name]
	if len(values) == 0 {
		return ""
	}
	return values[0][:min(len(values[0]), mostHeader)]
}

// reading collects what headers say.
type reading struct{ info retry.Info }

// own reads the headers that [Transport] and pushed tasks send.
func (r *reading) own(h http.Header, now time.Time) {
	r.attempt(text(h, headerAttempt), 0)
	r.limit(text(h, headerMaxAttempts))
	count, fields, _ := strings.Cut(text(h, headerRetryAttempt), ";")
	r.attempt(count, 0)
	relative := false
	for field := range strings.SplitSeq(fields, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "max":
			r.limit(value)
		case "ddl":
			if left, ok := number(value, int64(farthest/time.Millisecond)); ok {
				relative = true
				r.deadline(now.Add(time.Duration(left)*time.Millisecond), now)
			}
		}
	}
	if relative {
		return // the time left says more than a time by the client's clock
	}
	if at, err := time.Parse(time.RFC3339, text(h, headerDeadline)); err == nil {
		r.deadline(now.Add(at.Sub(sentAt(h, now))), now)
	}
}

// aws reads the form "attempt=2; max=3; ttl=20261120T101500Z".
func (r *reading) aws(value string) {
	for field := range strings.SplitSeq(value, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "attempt":
			r.attempt(value, 0)
		case "max":
			r.limit(value)
		}
	}
}

// sentAt is the client's clock when it sent the request, as far as it says so;
// with its help clocks need not agree.
func sentAt(h http.Header, now time.Time) time.Time {
	if at, err := http.ParseTime(text(h, "Date")); err == nil {
		return at
	}
	if seconds, ok := number(text(h, "Webhook-Timestamp"), 1<<40); ok {
		return time.Unix(seconds, 0)
	}
	return now
}

// attempt notes an attempt number that is written as a count of attempts so far
// minus missing.
func (r *reading) attempt(value string, missing int64) {
	if n, ok := number(value, mostAttempt); ok && n+missing > 0 {
		r.info.Attempt = max(r.info.Attempt, int(min(n+missing, mostAttempt)))
	}
}

// limit notes a limit of attempts, unless there is one.
func (r *reading) limit(value string) {
	if n, ok := number(value, mostAttempts+1); ok && n <= mostAttempts && r.info.MaxAttempts == 0 {
		r.info.MaxAttempts = int(n)
	}
}

// deadline notes a deadline if it is the earliest.
func (r *reading) deadline(at, now time.Time) {
	if at.After(now.Add(farthest)) {
		return
	}
	if r.info.Deadline.IsZero() || at.Before(r.info.Deadline) {
		r.info.Deadline = at
	}
}

// number reads a whole number of digits only, cut to most.
func number(value string, most int64) (int64, bool) {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil { // too large: digits are all there is
		return most, true
	}
	return min(n, most), true
}

// grpcTimeout reads the form "1500m": up to eight digits and a unit.
func grpcTimeout(value string) (time.Duration, bool) {
	if len(value) < 2 || len(value) > 9 {
		return 0, false
	}
	n, ok := number(value[:len(value)-1], 99_999_999)
	if !ok {
		return 0, false
	}
	switch value[len(value)-1] {
	case 'H':
		return time.Duration(min(n, int64(farthest/time.Hour)+1)) * time.Hour, true
	case 'M':
		return time.Duration(n) * time.Minute, true
	case 'S':
		return time.Duration(n) * time.Second, true
	case 'm':
		return time.Duration(n) * time.Millisecond, true
	case 'u':
		return time.Duration(n) * time.Microsecond, true
	case 'n':
		return time.Duration(n), true
	}
	return 0, false
}
