package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// budget is the retry budget of a target.
type budget struct {
	current *retry.Budget
	recent  float64 // share of the last answers that were good, 1 at first
}

// shortOfTokens is when a budget is asked again that would not bind by itself. It
// is asked sooner when an attempt ends.
const shortOfTokens = 100 * time.Millisecond

// withdraw takes the tokens of a retry, or says when to ask again. A budget does not
// bind by itself while nearly all goes well; one that is tight does.
func (b *budget) withdraw(now time.Time, cost float64, tight bool) (ok bool, wait time.Duration) {
	if tight && b.current.State(now).Tokens < min(cost, 1) {
		return false, shortOfTokens
	}
	return b.current.Withdraw(now, cost)
}
