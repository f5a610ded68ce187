package engine

import "time"

// Blink is what a stop of the whole process does to the engine's time: the last
// contact with the store is d longer ago. The timers have not fired yet.
func (e *Engine) Blink(d time.Duration) { e.member.Contacted(e.member.Contact().Add(-d)) }

// Kill ends the engine as a kill of its process would: nothing is settled,
// nothing is given back, nobody is told.
func (e *Engine) Kill() {
	e.dispatcher.stopClaims()
	e.lock()
	e.halted = true
	e.unlock()
	e.stopRunning()
	e.member.StopLoops()
	e.member.StopBeat()
	e.loops.Wait()
	e.stopSettling()
	e.lock()
	for a := range e.unended {
		a.settled.Store(true)
	}
	e.unlock()
	e.run.pool.stop()
	e.run.stopAttempts(ErrLost)
	e.enqueues.Close()
	e.closeSettles()
	e.stopOnce.Do(func() {})
}
