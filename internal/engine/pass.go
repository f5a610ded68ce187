package engine

import (
	"context"
	"time"
)

// dueLook is the time between two looks whether a pass is over.
const dueLook = 10 * time.Millisecond

// WorkDue returns when a node that was made for it has worked what was due, or with its
// error when ctx ends. [Engine.Stop] ends the node in both cases.
func (e *Engine) WorkDue(ctx context.Context) error {
	if err := e.awaitRest(ctx); err != nil {
		return err
	}
	e.lock()
	e.agenda.Pass().Close()
	e.unlock()
	e.loader.lookAhead(time.Now())
	e.loader.rewindAll()
	signal(e.load)
	return e.awaitRest(ctx)
}

// TakenDue is how many tasks a pass has taken.
func (e *Engine) TakenDue() int {
	e.lock()
	defer e.unlock()
	return e.agenda.Pass().Taken()
}

// awaitRest waits until nothing is left to do after a look at all that is on disk.
func (e *Engine) awaitRest(ctx context.Context) error {
	ticker := time.NewTicker(dueLook)
	defer ticker.Stop()
	for looks := 0; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		now, rests := e.round()
		switch rests = rests && e.member.Placed(); {
		case !rests:
			looks = 0
			continue
		case looks == 0:
			looks = now + 2 // one may be under way, and have read before
		case now >= looks:
			return nil
		}
		e.lookAtAll()
	}
}

// round is how often the loader has been through all that is on disk, and whether
// nothing was left to do after the last time.
func (e *Engine) round() (looks int, rests bool) {
	e.lock()
	defer e.unlock()
	return e.agenda.Pass().Round()
}
