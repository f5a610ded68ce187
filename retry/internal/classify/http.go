package classify

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// outlastRetry is the header by which a receiver decides itself: "never", or the
// least wait as a Go duration.
const outlastRetry = "Outlast-Retry"

// header is the header of an answer: names in their canonical form, with their values.
type header map[string][]string

// get is the first value under a canonical name, "" for none.
func (h header) get(name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// HTTP classifies an answer that is no success; see retry.ClassifyHTTP.
func HTTP(status int, h map[string][]string, now time.Time) Verdict {
	if status >= 200 && status < 300 {
		return Verdict{}
	}
	after, hinted := RetryAfter(h, now)
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
func (v *Verdict) obey(h header) {
	own := strings.TrimSpace(h.get(outlastRetry))
	if strings.EqualFold(own, "never") {
		v.Hint = Hint{GiveUp: true}
		return
	}
	if wait, err := time.ParseDuration(own); err == nil && wait >= 0 {
		v.Hint = Hint{After: wait}
		if v.Category == Permanent {
			v.Category = Throttled
		}
		return
	}
	for _, name := range []string{"X-Should-Retry", "Stripe-Should-Retry"} {
		switch should := strings.TrimSpace(h.get(name)); {
		case strings.EqualFold(should, "false"):
			v.Hint = Hint{GiveUp: true}
			return
		case strings.EqualFold(should, "true"):
			if v.Category == Permanent {
				v.Category = Unavailable
			}
			return
		}
	}
}

// byStatus is the table of [HTTP] without headers.
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

// statusCodes are the statuses of three digits as text, made at the first use.
var statusCodes struct {
	once  sync.Once
	texts [600]string
}

func statusCode(status int) string {
	if status < 100 || status >= len(statusCodes.texts) {
		return strconv.Itoa(status)
	}
	statusCodes.once.Do(func() {
		for known := 100; known < len(statusCodes.texts); known++ {
			statusCodes.texts[known] = strconv.Itoa(known)
		}
	})
	return statusCodes.texts[status]
}

// RetryAfter is the wait that headers ask for, and whether they do; see
// retry.ParseRetryAfter.
func RetryAfter(headers map[string][]string, now time.Time) (time.Duration, bool) {
	h := header(headers)
	value := strings.TrimSpace(h.get("Retry-After"))
	if wait, ok := parseUnits(value, time.Second); ok {
		return wait, true
	}
	if at, ok := parseHTTPTime(value); ok {
		return max(0, at.Sub(answered(h, now))), true
	}
	for _, name := range []string{"Retry-After-Ms", "X-Amz-Retry-After"} {
		if wait, ok := parseUnits(strings.TrimSpace(h.get(name)), time.Millisecond); ok {
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
	if n > int64(math.MaxInt64/unit) {
		return math.MaxInt64, true
	}
	return time.Duration(n) * unit, true
}
