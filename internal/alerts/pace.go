package alerts

import (
	"context"
	"time"
)

// Prober is a channel that can be tried without a message to people.
type Prober interface {
	// Probe connects to who takes the messages and goes as far as that tells nobody
	// anything: to the end of the handshake of TLS, of mail servers to that of the
	// login.
	Probe(ctx context.Context) error
}

// Limit is a number of messages in a time that slides.
type Limit struct {
	Count int
	Per   time.Duration
}

// PerSecond allows so many messages in a second. It has a tenth more here, for messages
// that are on the way for different times, and the minute of [PerMinute] a second more.
func PerSecond(count int) Limit { return Limit{count, 1100 * time.Millisecond} }

// PerMinute allows so many messages in a minute. Of more than 500 it allows as many in a
// part of it.
func PerMinute(count int) Limit {
	parts := (count + mostSlots - 1) / mostSlots
	return Limit{count / parts, 61 * time.Second / time.Duration(parts)}
}

// mostSlots is how many times of a channel are kept, since they are kept in one
// object. More messages a minute are kept to by as many in a part of it: what is
// beyond them becomes a collection, which counts and names it.
const mostSlots = 500

// Settings are what alerts know of a channel beside how it sends.
type Settings struct {
	Default  bool          // it gets the alerts of rules without channels
	Fallback string        // the channel that gets what this one cannot deliver
	Timeout  time.Duration // of one message
	Limits   []Limit       // what may be sent
	// Stateful is a receiver that keeps what goes on, until it is told that it is over: a
	// recovery is always told, and no message of its own stands for others.
	Stateful bool
}

// DefaultTimeout is the time that one message may take.
const DefaultTimeout = 10 * time.Second

// Slots are the times at which a channel has sent, the oldest first: what its
// limits are kept by.
type Slots []time.Time

// Take takes a slot at now, or says how long to wait for one.
func (s *Slots) Take(now time.Time, limits []Limit) (wait time.Duration) {
	longest, most := time.Duration(0), 0
	for _, limit := range limits {
		longest, most = max(longest, limit.Per), max(most, limit.Count)
	}
	sent := *s
	for len(sent) > 0 && (now.Sub(sent[0]) >= longest || len(sent) > most) {
		sent = sent[1:]
	}
	for _, limit := range limits {
		if len(sent) < limit.Count {
			continue
		}
		if first := sent[len(sent)-limit.Count]; now.Sub(first) < limit.Per {
			wait = max(wait, limit.Per-now.Sub(first))
		}
	}
	if wait > 0 || len(limits) == 0 {
		*s = sent
		return wait
	}
	*s = append(sent, now)
	return 0
}
