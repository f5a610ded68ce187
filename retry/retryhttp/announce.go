package retryhttp

import (
	"net/http"
	"strconv"
	"time"
)

// The headers by which an attempt tells what it is. The first three are those of
// tasks that are pushed.
const (
	headerAttempt     = "Outlast-Attempt"
	headerMaxAttempts = "Outlast-Max-Attempts"
	headerDeadline    = "Outlast-Deadline"
	// headerRetryAttempt holds all three; its time is the milliseconds left, so
	// that clocks need not agree.
	headerRetryAttempt = "Retry-Attempt"
	// headerRetry is the server's decision: "never", or the least wait.
	headerRetry = "Outlast-Retry"
)

// announce returns a copy of the header with those of the attempt.
func announce(h http.Header, number, most int, deadline time.Time) http.Header {
	out := h.Clone()
	if out == nil {
		out = make(http.Header, 4)
	}
	values := make([]string, 0, 4) // one array behind all of them
	set := func(name, value string) {
		values = append(values, value)
		out[name] = values[len(values)-1 : len(values) : len(values)]
	}
	attempt := strconv.Itoa(number)
	all := attempt
	set(headerAttempt, attempt)
	delete(out, headerMaxAttempts)
	if most > 0 {
		limit := strconv.Itoa(most)
		set(headerMaxAttempts, limit)
		all += ";max=" + limit
	}
	delete(out, headerDeadline)
	if !deadline.IsZero() {
		set(headerDeadline, deadline.UTC().Format(time.RFC3339Nano))
		all += ";ddl=" + strconv.FormatInt(max(0, time.Until(deadline).Milliseconds()), 10)
	}
	set(headerRetryAttempt, all)
	return out
}
