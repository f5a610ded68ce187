package engine

import "sync"

// mostIdle is how many goroutines are kept for the next attempts.
const mostIdle = 1024

// pool runs attempts in goroutines that are used again: a fresh one spends much of
// a short attempt on growing its stack.
//
// Attempts are handed over by the batch. A goroutine takes one after the other, and
// before it starts one it sees to it that another is on its way to what is left. So
// short attempts cost no wake-up each, and a long one holds nothing up: as long as
// something is queued, a goroutine is ready to run that takes it.
type pool struct {
	run func(*attempt)

	mu     sync.Mutex
	queue  []*attempt // from first on
	first  int
	called bool            // a goroutine is on its way to the queue
	idle   []chan struct{} // wake-ups of resting goroutines, the last to rest at the end
	closed bool            // nobody is to rest any more
	rests  sync.WaitGroup
}

func newPool(run func(*attempt)) *pool { return &pool{run: run} }

// start hands attempts over, without waiting for anybody.
func (p *pool) start(batch []*attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, batch...)
	p.call()
}

// call sends a goroutine to the queue, unless it is empty or one is on its way.
func (p *pool) call() {
	if p.called || p.first == len(p.queue) {
		return
	}
	p.called = true
	last := len(p.idle) - 1
	if last < 0 {
		go p.work()
		return
	}
	p.idle[last] <- struct{}{} // never waits: the channel has room, and its goroutine rests
	p.idle = p.idle[:last]
}

// work is what a goroutine does, from its first call on.
func (p *pool) work() {
	wake := make(chan struct{}, 1)
	for {
		a, rest := p.next(true, wake)
		for a != nil {
			p.run(a)
			a, rest = p.next(false, wake)
		}
		if !rest {
			return
		}
		_, called := <-wake
		p.rests.Done()
		if !called {
			return
		}
	}
}

// next is the next attempt for a goroutine that has just been called, or has ended
// one. If there is none, it is to rest until its wake-up, or, with enough of them,
// to end.
func (p *pool) next(called bool, wake chan struct{}) (a *attempt, rest bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if called {
		p.called = false
	}
	if p.first < len(p.queue) {
		a, p.queue[p.first] = p.queue[p.first], nil
		if p.first++; p.first == len(p.queue) {
			p.queue, p.first = p.queue[:0], 0
		}
		p.call()
		return a, false
	}
	if p.closed || len(p.idle) >= mostIdle {
		return nil, false
	}
	p.idle = append(p.idle, wake)
	p.rests.Add(1)
	return nil, true
}

// stop ends the resting goroutines and waits for them; busy ones end after their
// attempt.
func (p *pool) stop() {
	p.mu.Lock()
	p.closed = true
	for _, wake := range p.idle {
		close(wake)
	}
	p.idle = nil
	p.mu.Unlock()
	p.rests.Wait()
}
