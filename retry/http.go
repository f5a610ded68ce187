package retry

import (
	"math"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// outlastRetry is the header by which a receiver decides itself: "never", or the
// least wait as a Go duration.
const outlastRetry = "Outlast-Retry"

// ClassifyHTTP classifies an answer that is no success. Now is the time of the
// answer, for dates in headers. For a 2xx status it returns the zero Verdict.
//
//   - 408 is [Timeout], 421 and 425 [Unsent], 429, 520 to 524 and 529 [Throttled].
//   - 503 is [Throttled] with Retry-After, else [Unavailable], like 5xx at large.
//   - 501, 505 and other 4xx are [Permanent]; 413 and 423 with Retry-After are
//     [Throttled].
//   - 3xx and everything else is [Unknown]: redirects are not followed.
//
// A readable Outlast-Retry header wins over all of that: "never" forbids a retry,
// a duration such as "30s" is the hint, and turns a permanent status into
// [Throttled]. Next comes X-Should-Retry or Stripe-Should-Retry: "false" forbids a
// retry, "true" turns a permanent status into [Unavailable]. Otherwise Retry-After
// is the hint, see [ParseRetryAfter], and for 429 the end of the window of a used-up
// rate limit: RateLimit with r=0 (draft-ietf-httpapi-ratelimit-headers-10),
// RateLimit-Reset or X-RateLimit-Reset.
//
// Source: RFC 9110 §10.2.3 and §15, RFC 6585, RFC 8470, and the statuses that
// Envoy, go-retryablehttp and the Google Cloud client libraries retry.
//
// Headers are an [net/http.Header]: names in their canonical form, with their values. The
// package does without net/http, which is most of a small program.
func ClassifyHTTP(status int, headers map[string][]string, now time.Time) Verdict {
	if status >= 200 && status < 300 {
		return Verdict{}
	}
	h := textproto.MIMEHeader(headers)
	after, hinted := ParseRetryAfter(headers, now)
	if !hinted && status == 429 {
		after, _ = parseRateLimit(h, now)
	}
	v := byStatus(status, hinted)
	v.Code = statusCode(status)
	v.Hint.After = after
	v.obey(h)
	return v
}

// obey applies the headers by which a receiver says itself whether to retry.
func (v *Verdict) obey(h textproto.MIMEHeader) {
	own := strings.TrimSpace(h.Get(outlastRetry))
	if strings.EqualFold(own, "never") {
		v.Hint = Hint{Never: true}
		return
	}
	if wait, err := ParseDuration(own); err == nil {
		v.Hint = Hint{After: wait}
		if v.Category == Permanent {
			v.Category = Throttled
		}
		return
	}
	for _, name := range []string{"X-Should-Retry", "Stripe-Should-Retry"} {
		switch should := strings.TrimSpace(h.Get(name)); {
		case strings.EqualFold(should, "false"):
			v.Hint = Hint{Never: true}
			return
		case strings.EqualFold(should, "true"):
			if v.Category == Permanent {
				v.Category = Unavailable
			}
			return
		}
	}
}

// byStatus is the table of [ClassifyHTTP] without headers.
func byStatus(status int, hinted bool) Verdict {
	switch {
	case status == 408:
		return Verdict{Category: Timeout, Effect: Maybe}
	case status == 425, status == 421:
		return Verdict{Category: Unsent, Effect: NotSent}
	case status == 429:
		return Verdict{Category: Throttled, Effect: NotSent}
	case (status == 413 || status == 423) && hinted:
		return Verdict{Category: Throttled, Effect: NotSent}
	case status == 503 && hinted, status >= 520 && status <= 524, status == 529:
		return Verdict{Category: Throttled, Effect: Maybe}
	case status == 501, status == 505,
		status >= 400 && status < 500:
		return Verdict{Category: Permanent, Effect: Done}
	case status >= 500 && status < 600:
		return Verdict{Category: Unavailable, Effect: Maybe}
	default:
		return Verdict{Category: Unknown, Effect: Maybe}
	}
}

// statusCodes are the statuses of three digits as text, made once.
var statusCodes = func() (texts [600]string) {
	for status := 100; status < len(texts); status++ {
		texts[status] = strconv.Itoa(status)
	}
	return texts
}()

func statusCode(status int) string {
	if status >= 100 && status < len(statusCodes) {
		return statusCodes[status]
	}
	return strconv.Itoa(status)
}

// ParseRetryAfter returns the wait that the headers ask for, and whether they do.
// Retry-After may be a number of seconds or a date in one of the three forms of
// HTTP; a date is compared with the answer's own Date header, so that the clocks
// need not agree, and with now if there is none. Without a readable Retry-After,
// Retry-After-Ms and X-Amz-Retry-After are read, in milliseconds. Negative numbers
// and dates in the past give 0; numbers too large for a duration give the largest
// one.
func ParseRetryAfter(headers map[string][]string, now time.Time) (time.Duration, bool) {
	h := textproto.MIMEHeader(headers)
	value := strings.TrimSpace(h.Get("Retry-After"))
	if wait, ok := parseUnits(value, time.Second); ok {
		return wait, true
	}
	if at, ok := parseHTTPTime(value); ok {
		return max(0, at.Sub(answered(h, now))), true
	}
	for _, name := range []string{"Retry-After-Ms", "X-Amz-Retry-After"} {
		if wait, ok := parseUnits(strings.TrimSpace(h.Get(name)), time.Millisecond); ok {
			return wait, true
		}
	}
	return 0, false
}

// parseHTTPTime reads a date in one of the three forms of HTTP (RFC 9110 §5.6.7).
func parseHTTPTime(text string) (time.Time, bool) {
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
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
