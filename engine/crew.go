package engine

import "sync"

// mostIdle is how many goroutines are kept for the next attempts.
const mostIdle = 1024

// crew runs attempts in goroutines that are used again: a fresh goroutine
// spends much of a short attempt on growing its stack.
type crew struct {
	run  func(*attempt)
	jobs chan *attempt
	done chan struct{} // closed when nobody is to rest any more

	mu    sync.Mutex // guards idle and the closing of done
	idle  int
	rests sync.WaitGroup
}

func newCrew(run func(*attempt)) *crew {
	return &crew{run: run, jobs: make(chan *attempt), done: make(chan struct{})}
}

// start hands the attempt to an idle goroutine, or to a new one.
func (c *crew) start(a *attempt) {
	select {
	case c.jobs <- a:
	default:
		go c.work(a)
	}
}

func (c *crew) work(a *attempt) {
	for a != nil {
		c.run(a)
		a = c.rest()
	}
}

// rest waits for the next attempt; nil if there are idle ones enough or the
// crew is dismissed.
func (c *crew) rest() *attempt {
	if !c.sitDown() {
		return nil
	}
	defer c.rests.Done()
	select {
	case a := <-c.jobs:
		c.mu.Lock()
		c.idle--
		c.mu.Unlock()
		return a
	case <-c.done:
		return nil
	}
}

func (c *crew) sitDown() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
		return false
	default:
	}
	if c.idle >= mostIdle {
		return false
	}
	c.idle++
	c.rests.Add(1)
	return true
}

// dismiss ends the idle goroutines and waits for them; busy ones end after
// their attempt.
func (c *crew) dismiss() {
	c.mu.Lock()
	close(c.done)
	c.mu.Unlock()
	c.rests.Wait()
}
