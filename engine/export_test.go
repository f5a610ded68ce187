package engine

// Kill ends the engine as a kill of its process would: nothing is settled,
// nothing is given back, nobody is told.
func (e *Engine) Kill() {
	e.stops.Store(true)
	e.lost.Store(true)
	e.stopClaims()
	e.mu.Lock()
	e.halted = true
	e.mu.Unlock()
	e.stopRunning()
	e.stopBeats()
	e.beater.Wait()
	e.loops.Wait()
	e.stopSettling()
	e.mu.Lock()
	for _, a := range e.runs {
		a.settled.Store(true)
	}
	e.mu.Unlock()
	e.crew.dismiss()
	e.stopAttempts(ErrLost)
	e.enqueues.close()
	e.closeSettles()
	e.stopOnce.Do(func() {})
}
