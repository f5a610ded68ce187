package lease

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Attempt is who runs on behalf of a worker, as a [Keeper] sees it.
type Attempt interface {
	// Ended reports whether the end of the attempt was handed in.
	Ended() bool
}

// Lease is what a node knows of a task that a remote worker runs.
type Lease struct {
	Attempt Attempt
	Task    *task.Task
	Worker  string
	Ends    time.Time // when the attempt's timeout or the deadline ends it, zero for never

	// Guarded by the keeper's lock.
	length   time.Duration // as it was given last
	until    time.Time     // its end, as far as this node knows
	asked    time.Time     // when the store was asked last whether it still holds
	doubt    bool          // the store is to be asked soon
	progress json.RawMessage

	over   chan struct{} // closed when the attempt is settled, or is not this node's any more
	result store.Settled // once it is settled
}

// New makes the lease of a task that was claimed by a call sent at began.
func New(attempt Attempt, t *task.Task, worker string, length time.Duration, began time.Time) *Lease {
	return &Lease{Attempt: attempt, Task: t, Worker: worker, length: length, until: began.Add(length), asked: began, over: make(chan struct{})}
}

// Until is the end of a lease as it was given, by the store's clock.
func (l *Lease) Until() time.Time { return l.Task.StartedAt.Add(l.length) }

// End notes the end of the attempt.
func (l *Lease) End(result store.Settled) {
	l.result = result
	close(l.over)
}

// Over is closed when the attempt has ended, and [Lease.Result] says how from then on.
func (l *Lease) Over() <-chan struct{} { return l.over }

// Result is how the attempt ended.
func (l *Lease) Result() store.Settled { return l.result }

// Began notes leases of this node.
func (k *Keeper) Began(leases []*Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range leases {
		lane := l.Task.ID.Lane()
		if k.leases[lane] == nil {
			k.leases[lane] = map[task.ID]*Lease{}
		}
		k.leases[lane][l.Task.ID] = l
	}
}

// Ended forgets a lease.
func (k *Keeper) Ended(l *Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := l.Task.ID
	lane := id.Lane()
	if k.leases[lane][id] != l {
		return
	}
	if delete(k.leases[lane], id); len(k.leases[lane]) == 0 {
		delete(k.leases, lane)
	}
}

// Here is the lease of a task that this node has given under a claim, else nil.
func (k *Keeper) Here(id task.ID, claim int64) *Lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l := k.leases[id.Lane()][id]; l != nil && l.Task.Claim == claim {
		return l
	}
	return nil
}

// held yields the leases of attempts whose end was not handed in.
func (k *Keeper) held(yield func(*Lease) bool) {
	for _, leases := range k.leases {
		for _, l := range leases {
			if !l.Attempt.Ended() && !yield(l) {
				return
			}
		}
	}
}

// Late lists the leases of attempts whose time is over.
func (k *Keeper) Late(now time.Time) (late []*Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for l := range k.held {
		if !l.Ends.IsZero() && now.After(l.Ends) {
			late = append(late, l)
		}
	}
	return late
}

// Extended notes that the store has moved the end of a lease to length after sent.
func (k *Keeper) Extended(l *Lease, length time.Duration, sent time.Time, progress json.RawMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l.length, l.until, l.asked = length, sent.Add(length), sent
	if progress != nil {
		l.progress = progress
	}
	k.seen(l.Worker, sent)
}

// State is until when a worker has a task at least, and what it has reported last. The
// time is zero where another node may have extended it.
func (k *Keeper) State(l *Lease) (until time.Time, progress json.RawMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return l.known(time.Now()), l.progress
}

// known is the end of a lease, zero where another node may have moved it.
func (l *Lease) known(now time.Time) time.Time {
	if !l.until.After(now) {
		return time.Time{}
	}
	return l.until
}

// Gone is told that a task is not its worker's any more: where its lease has ended, the
// worker may not be there either.
func (k *Keeper) Gone(l *Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Now().After(l.until) {
		k.dismiss(l.Worker)
	}
}
