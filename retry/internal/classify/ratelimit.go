package classify

import (
	"strconv"
	"strings"
	"time"
)

// From epochFrom on X-RateLimit-Reset is read as a time in seconds since 1970
// (September 2001) and not as a number of seconds (31 years), and from
// epochMillisFrom on in milliseconds.
const (
	epochFrom       = 1_000_000_000
	epochMillisFrom = 1000 * epochFrom
)

// parseRateLimit returns how long it is until the window of a used-up rate limit
// ends, and whether the headers say so. It reads, in this order:
//
//   - RateLimit with r=0, the wait is t (draft-ietf-httpapi-ratelimit-headers-10);
//     of several limits the longest wait counts
//   - RateLimit-Reset, in seconds (the same draft up to version 7), unless
//     RateLimit-Remaining is above 0
//   - X-RateLimit-Reset, unless X-RateLimit-Remaining is above 0: seconds (Envoy,
//     Kong), or from 1 000 000 000 on a time in seconds since 1970 (GitHub, X), or
//     in milliseconds when it is a thousand times as large; a time is compared
//     with the answer's Date header, and with now if there is none
//
// Such headers are informative and stand on successful answers as well: ask only
// about an answer that refuses. Times in the past give 0.
func parseRateLimit(h header, now time.Time) (time.Duration, bool) {
	if wait, ok := parseLimits(h["Ratelimit"]); ok {
		return wait, true
	}
	if !remains(h, "Ratelimit-Remaining") {
		if wait, ok := parseUnits(strings.TrimSpace(h.get("Ratelimit-Reset")), time.Second); ok {
			return wait, true
		}
	}
	if remains(h, "X-Ratelimit-Remaining") {
		return 0, false
	}
	reset := strings.TrimSpace(h.get("X-Ratelimit-Reset"))
	epoch, err := strconv.ParseInt(reset, 10, 64)
	if err != nil || epoch < epochFrom {
		return parseUnits(reset, time.Second)
	}
	at := time.Unix(epoch, 0)
	if epoch >= epochMillisFrom {
		at = time.UnixMilli(epoch)
	}
	return max(0, at.Sub(answered(h, now))), true
}

// answered is the time of an answer by the clock of the server that made it.
func answered(h header, now time.Time) time.Time {
	if sent, ok := parseHTTPTime(h.get("Date")); ok {
		return sent
	}
	return now
}

// remains reports a header that is a number above 0.
func remains(h header, name string) bool {
	n, err := strconv.ParseFloat(strings.TrimSpace(h.get(name)), 64)
	return err == nil && n > 0
}

// parseLimits reads lists of limits such as "default";r=0;t=30. Names are quoted
// strings, in which commas and semicolons may stand.
func parseLimits(values []string) (longest time.Duration, found bool) {
	for _, limit := range splitOutside(strings.Join(values, ","), ',') {
		used, wait, timed := false, time.Duration(0), false
		for _, parameter := range splitOutside(limit, ';')[1:] {
			switch name, value, _ := strings.Cut(strings.TrimSpace(parameter), "="); name {
			case "r":
				used = value == "0"
			case "t":
				wait, timed = parseUnits(value, time.Second)
			}
		}
		if used && timed {
			longest, found = max(longest, wait), true
		}
	}
	return longest, found
}

// splitOutside splits at a separator that does not stand between double quotes.
// It returns at least one part.
func splitOutside(text string, separator byte) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}
