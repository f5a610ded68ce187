package engine

func (e *Engine) Parking() int     { e.lock(); defer e.unlock(); return len(e.parking) }
func (e *Engine) TargetCount() int { e.lock(); defer e.unlock(); return len(e.agenda.TargetNames()) }
