package lease

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
)

// Request is what a remote worker asks for.
type Request struct {
	Worker  string // its name
	Release string // "" for none
	Queues  []string
	Types   []string // nil for all but HTTP requests
	Most    int      // tasks
	Wait    time.Duration
	Lease   time.Duration
}

// ErrTooManyPolls refuses a poll on a node where very many wait.
var ErrTooManyPolls = errors.New("too many polls wait on this node")

// Poll is a request that waits. It takes entries of the agenda.
type Poll struct {
	Request
	keeper *Keeper
	began  time.Time

	// Guarded by the keeper's lock.
	taken  int           // entries of the batch that is being claimed
	over   bool          // nobody waits any more
	answer chan []*Lease // has room for the one answer
}

// Takes reports whether the worker can start the type in the queue.
func (p *Poll) Takes(queue, capability string) bool {
	return (p.Types == nil && capability != agenda.Push || slices.Contains(p.Types, capability)) && slices.Contains(p.Queues, queue)
}

// Give implements [agenda.Taker]: it counts entries that the worker is given.
func (p *Poll) Give(count int) {
	p.keeper.mu.Lock()
	defer p.keeper.mu.Unlock()
	p.taken += count
}

// Claimed ends the batch that was being claimed for the poll, and reports whether it goes
// on waiting.
func (p *Poll) Claimed() (waits bool) {
	p.keeper.mu.Lock()
	defer p.keeper.mu.Unlock()
	p.taken = 0
	return !p.over && len(p.answer) == 0
}

// Answer gives the worker its tasks, and reports whether it was still there to take them.
func (p *Poll) Answer(leases []*Lease) bool {
	k := p.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.over {
		return false
	}
	k.end(p)
	p.answer <- leases
	k.answered(p.Worker, time.Now())
	return true
}

// leastWait is how long a poll waits at least: so long it takes to read what is
// due from disk.
const leastWait = 100 * time.Millisecond

// Wait waits for the answer: as long as the worker wants to, until ctx ends or the node
// stops. Then the poll is over.
func (p *Poll) Wait(ctx context.Context, stop <-chan struct{}) []*Lease {
	timer := time.NewTimer(max(leastWait, p.Request.Wait))
	defer timer.Stop()
	select {
	case leases := <-p.answer:
		return leases
	case <-timer.C:
	case <-ctx.Done():
	case <-stop:
	}
	return p.leave()
}

// leave ends the poll, and returns what it was answered at the last moment.
func (p *Poll) leave() []*Lease {
	k := p.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	p.over = true
	k.end(p)
	k.answered(p.Worker, time.Now())
	select {
	case leases := <-p.answer:
		return leases
	default:
		return nil
	}
}

// Enter lets a request wait. More says that this node can start other types than before,
// more of them or fewer.
func (k *Keeper) Enter(request Request) (p *Poll, more bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.polls) >= mostPolls {
		return nil, false, ErrTooManyPolls
	}
	p = &Poll{Request: request, keeper: k, began: time.Now(), answer: make(chan []*Lease, 1)}
	more = k.connect(&p.Request, p.began)
	k.polls = append(k.polls, p)
	return p, more, nil
}

// end takes a poll out of those that wait.
func (k *Keeper) end(p *Poll) {
	if at := slices.Index(k.polls, p); at >= 0 {
		k.polls = slices.Delete(k.polls, at, at+1)
	}
}

// Taker is the first of the polls that wait for the capability and have room, nil for
// none.
func (k *Keeper) Taker(queue, capability string) *Poll {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.polls {
		if p.taken < p.Most && p.Takes(queue, capability) {
			return p
		}
	}
	return nil
}

// Dismiss answers the polls of a worker that wait with nothing: it has let a lease
// end, and may not be there any more. If it is, it polls again. It must not be called
// between [Keeper.Taker] and [Poll.Give], nor [Keeper.Gone]: one lock of the caller's is
// held during both.
func (k *Keeper) Dismiss(worker string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dismiss(worker)
}

func (k *Keeper) dismiss(worker string) {
	k.polls = slices.DeleteFunc(k.polls, func(p *Poll) bool {
		if p.Worker != worker || p.taken > 0 {
			return false
		}
		p.answer <- nil
		return true
	})
}
