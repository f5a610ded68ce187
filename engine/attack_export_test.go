package engine

func (e *Engine) Parking() int     { e.mu.Lock(); defer e.mu.Unlock(); return len(e.parking) }
func (e *Engine) TargetCount() int { e.mu.Lock(); defer e.mu.Unlock(); return len(e.near.targets) }
