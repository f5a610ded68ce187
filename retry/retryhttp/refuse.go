package retryhttp

import (
	"net/http"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// leastWait is what a refused client waits when nobody knows how long.
const leastWait = time.Second

// refusal is the answer to a repeat that is not let through.
type refusal struct {
	reason string
	status int
	wait   time.Duration
	never  bool
	text   string
}

// refuse decides about a repeat. A token of the budget is taken last, so that
// none is lost to another refusal.
func (h *handler) refuse(info retry.Info, now time.Time) (refusal, bool) {
	if !info.Deadline.IsZero() && info.Deadline.Sub(now) <= h.least {
		return refusal{
			reason: RefusedTime, status: http.StatusServiceUnavailable, wait: leastWait, never: true,
			text: "The deadline of the request leaves no time for this repeat.",
		}, true
	}
	if h.breaker != nil {
		if ready, at := h.breaker.Ready(now); !ready {
			return refusal{
				reason: RefusedBreaker, status: http.StatusServiceUnavailable, wait: at.Sub(now),
				text: "Something that this server needs does not work, so repeats are refused.",
			}.within(info, now), true
		}
	}
	if h.budget != nil {
		if ok, wait := h.budget.Withdraw(now, 1); !ok {
			return refusal{
				reason: RefusedBudget, status: http.StatusTooManyRequests, wait: wait,
				text: "Too many requests are repeats, so this one is refused.",
			}.within(info, now), true
		}
	}
	return refusal{}, false
}

// within turns a wait that the client has no time for into a never.
func (r refusal) within(info retry.Info, now time.Time) refusal {
	r.wait = max(r.wait, leastWait)
	r.never = !info.Deadline.IsZero() && now.Add(r.wait).After(info.Deadline)
	return r
}

// answer writes the refusal. Retry-After is for every client, Outlast-Retry for
// those that know it.
func (r refusal) answer(w http.ResponseWriter) {
	seconds := (r.wait + time.Second - 1) / time.Second
	w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	if r.never {
		w.Header().Set(headerRetry, "never")
	} else {
		w.Header().Set(headerRetry, (r.wait + time.Millisecond - 1).Truncate(time.Millisecond).String())
	}
	http.Error(w, r.text, r.status)
}
