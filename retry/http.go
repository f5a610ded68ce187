package retry

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// outlastRetry is the header by which a receiver decides itself: "never", or the
// least wait as a Go duration.
const outlastRetry = "Outlast-Retry"

// ClassifyHTTP classifies an answer that is no success. Now is the time of the
// answer, for Retry-After dates. For a 2xx status it returns the zero Verdict.
//
//   - 408 is [Timeout], 425 [Unsent], 429, 520 to 524 and 529 [Throttled].
//   - 503 is [Throttled] with Retry-After, else [Unavailable], like 5xx at large.
//   - 501, 505 and other 4xx are [Permanent]; 413 and 423 with Retry-After are
//     [Throttled].
//   - 3xx and everything else is [Unknown]: redirects are not followed.
//
// A readable Outlast-Retry header wins over all of that: "never" forbids a retry,
// a duration such as "30s" is the hint, and turns a permanent status into
// [Throttled]. Otherwise Retry-After is the hint; see [ParseRetryAfter].
//
// Source: RFC 9110 §10.2.3 and §15, RFC 6585, RFC 8470, and the statuses that
// Envoy, go-retryablehttp and the Google Cloud client libraries retry.
func ClassifyHTTP(status int, h http.Header, now time.Time) Verdict {
	if status >= 200 && status < 300 {
		return Verdict{}
	}
	after, hinted := ParseRetryAfter(h, now)
	v := byStatus(status, hinted)
	v.Code = strconv.Itoa(status)
	v.Hint.After = after

	own := strings.TrimSpace(h.Get(outlastRetry))
	if strings.EqualFold(own, "never") {
		v.Hint = Hint{Never: true}
	} else if wait, err := ParseDuration(own); err == nil {
		v.Hint = Hint{After: wait}
		if v.Category == Permanent {
			v.Category = Throttled
		}
	}
	return v
}

// byStatus is the table of [ClassifyHTTP] without headers.
func byStatus(status int, hinted bool) Verdict {
	switch {
	case status == http.StatusRequestTimeout:
		return Verdict{Category: Timeout, Effect: Maybe}
	case status == http.StatusTooEarly:
		return Verdict{Category: Unsent, Effect: NotSent}
	case status == http.StatusTooManyRequests:
		return Verdict{Category: Throttled, Effect: NotSent}
	case (status == http.StatusRequestEntityTooLarge || status == http.StatusLocked) && hinted:
		return Verdict{Category: Throttled, Effect: NotSent}
	case status == http.StatusServiceUnavailable && hinted, status >= 520 && status <= 524, status == 529:
		return Verdict{Category: Throttled, Effect: Maybe}
	case status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported,
		status >= 400 && status < 500:
		return Verdict{Category: Permanent, Effect: Done}
	case status >= 500 && status < 600:
		return Verdict{Category: Unavailable, Effect: Maybe}
	default:
		return Verdict{Category: Unknown, Effect: Maybe}
	}
}

// ParseRetryAfter returns the wait that the headers ask for, and whether they do.
// Retry-After may be a number of seconds or a date in one of the three forms of
// HTTP; a date is compared with the answer's own Date header, so that the clocks
// need not agree, and with now if there is none. Without a readable Retry-After,
// Retry-After-Ms and X-Amz-Retry-After are read, in milliseconds. Negative numbers
// and dates in the past give 0; numbers too large for a duration give the largest
// one.
func ParseRetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if wait, ok := parseUnits(value, time.Second); ok {
		return wait, true
	}
	if at, err := http.ParseTime(value); err == nil {
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return max(0, at.Sub(now)), true
	}
	for _, name := range []string{"Retry-After-Ms", "X-Amz-Retry-After"} {
		if wait, ok := parseUnits(strings.TrimSpace(h.Get(name)), time.Millisecond); ok {
			return wait, true
		}
	}
	return 0, false
}

// parseUnits reads a whole number of units.
func parseUnits(text string, unit time.Duration) (time.Duration, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	if digits != text {
		return 0, true
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil { // out of range
		n = math.MaxInt64
	}
	return times(unit, n), true
}
