package engine

import "sync"

// mostIdle is how many goroutines are kept for the next attempts.
const mostIdle = 1024

// crew runs attempts in goroutines, its hands, that are used again: a fresh
// goroutine spends much of a short attempt on growing its stack.
//
// Attempts are handed over by the batch. A hand takes one after the other, and
// before it starts one it sees to it that another hand is on its way to what is
// left. So short attempts cost no wake-up each, and a long one holds nothing
// up: as long as something is queued, a goroutine is ready to run that takes it.
type crew struct {
	run func(*attempt)

	mu     sync.Mutex
	queue  []*attempt // from first on
	first  int
	called bool            // a hand is on its way to the queue
	idle   []chan struct{} // wake-ups of resting hands, the last to rest at the end
	closed bool            // nobody is to rest any more
	rests  sync.WaitGroup
}

func newCrew(run func(*attempt)) *crew { return &crew{run: run} }

// start hands attempts over, without waiting for anybody.
func (c *crew) start(batch []*attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, batch...)
	c.call()
}

// call sends a hand to the queue, unless it is empty or one is on its way.
func (c *crew) call() {
	if c.called || c.first == len(c.queue) {
		return
	}
	c.called = true
	last := len(c.idle) - 1
	if last < 0 {
		go c.work()
		return
	}
	c.idle[last] <- struct{}{} // never waits: the channel has room, and its hand rests
	c.idle = c.idle[:last]
}

// work is what a hand does, from its first call on.
func (c *crew) work() {
	wake := make(chan struct{}, 1)
	for {
		a, rest := c.next(true, wake)
		for a != nil {
			c.run(a)
			a, rest = c.next(false, wake)
		}
		if !rest {
			return
		}
		_, called := <-wake
		c.rests.Done()
		if !called {
			return
		}
	}
}

// next is the next attempt for a hand that has just been called, or has ended
// one. If there is none, the hand is to rest until its wake-up, or, with hands
// enough, to end.
func (c *crew) next(called bool, wake chan struct{}) (a *attempt, rest bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if called {
		c.called = false
	}
	if c.first < len(c.queue) {
		a, c.queue[c.first] = c.queue[c.first], nil
		if c.first++; c.first == len(c.queue) {
			c.queue, c.first = c.queue[:0], 0
		}
		c.call()
		return a, false
	}
	if c.closed || len(c.idle) >= mostIdle {
		return nil, false
	}
	c.idle = append(c.idle, wake)
	c.rests.Add(1)
	return nil, true
}

// dismiss ends the resting hands and waits for them; busy ones end after
// their attempt.
func (c *crew) dismiss() {
	c.mu.Lock()
	c.closed = true
	for _, wake := range c.idle {
		close(wake)
	}
	c.idle = nil
	c.mu.Unlock()
	c.rests.Wait()
}
