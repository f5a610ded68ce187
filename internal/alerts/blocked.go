package alerts

import (
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/store"
)

// Bounds of counts behind blocked keys.
const (
	// MostOthers is where the keys beyond those that are told one by one are counted to.
	MostOthers = 1000
	// MostBehind is where the tasks behind a key are counted to.
	MostBehind = 1000
)

// otherKeys is the subject of the blocked keys beyond those that are told one by one.
const otherKeys = "(other keys)"

// BlockedSample is an ordering key that a dead letter blocks and tasks wait behind.
type BlockedSample struct {
	store.Hold
	Others int // more such keys, where this stands for several
}

func (b *BlockedSample) at(now time.Time) *Occurrence {
	if b.Others > 0 {
		text := atLeast(b.Others, MostOthers) + " more ordering keys are blocked by dead letters, and tasks wait behind them"
		return &Occurrence{
			On: alert.OnBlocked, Subject: otherKeys, Size: b.Others, At: now, Text: text, Fields: Fields("list", "outlast queue blocked"),
			Values: map[string]any{"key": "", "queue": "", "mode": "", "letter": "", "waiting": b.Others, "held": time.Duration(0)},
		}
	}
	held, waiting := max(0, now.Sub(b.Since)), atLeast(b.Waiting, MostBehind)
	tasks := " tasks wait"
	if b.Waiting == 1 {
		tasks = " task waits"
	}
	return &Occurrence{
		On: alert.OnBlocked, Subject: b.Queue + "/" + b.Key, Size: b.Waiting, At: now, Queue: b.Queue,
		Text: "the ordering key " + b.Key + " of queue " + b.Queue + " has been blocked by a dead letter for " + plaintext.Span(held.Round(time.Second)) + "; " + waiting + tasks + " behind it",
		Values: map[string]any{
			"key": b.Key, "queue": b.Queue, "mode": b.Mode, "letter": b.Holder.String(), "waiting": b.Waiting, "held": held,
		},
		Fields: Fields("queue", b.Queue, "key", b.Key, "dead letter", b.Holder.String(), "waiting", waiting, "since", b.Since.UTC().Format(time.RFC3339),
			"to go on", "outlast dead redrive "+b.Holder.String()+", or outlast queue release-key "+b.Queue+" KEY"),
	}
}

// atLeast is a number that was counted to a bound.
func atLeast(n, bound int) string {
	if n > bound || n == bound && bound == MostOthers {
		return strconv.Itoa(bound) + "+"
	}
	return strconv.Itoa(n)
}
