package retry

import "time"

// Observer is told about attempts, waits and ends, about each exactly once. Nil
// functions are skipped. They are called outside locks, from the goroutine of the
// call (those of hedges from goroutines of their own, perhaps after the end), and
// must not block.
type Observer struct {
	Attempt func(AttemptEvent)
	Wait    func(WaitEvent)
	End     func(EndEvent)
}

// and is an observer that tells both, first first.
func (first Observer) and(then Observer) Observer {
	return Observer{
		Attempt: both(first.Attempt, then.Attempt),
		Wait:    both(first.Wait, then.Wait),
		End:     both(first.End, then.End),
	}
}

// both calls two functions, one after another; either may be nil.
func both[E any](first, then func(E)) func(E) {
	switch {
	case first == nil:
		return then
	case then == nil:
		return first
	}
	return func(e E) { first(e); then(e) }
}

// AttemptEvent is an attempt that has ended.
type AttemptEvent struct {
	Target  string // "" without one
	Number  int    // from 1
	Hedge   bool
	Took    time.Duration
	Err     error // nil for a success
	Verdict Verdict
}

// WaitEvent is a wait before a retry.
type WaitEvent struct {
	Target string
	Number int // of the attempt that failed
	Delay  time.Duration
	Rule   string // see [Decision.Rule]
}

// EndEvent is the end of an operation.
type EndEvent struct {
	Target   string
	Attempts int
	Elapsed  time.Duration
	Err      *Error // nil for a success
}

// observeAttempt tells of an attempt that has ended.
func (o *operation) observeAttempt(now time.Time, err error, v *Verdict) {
	if told := o.policy.run.observer.Attempt; told != nil {
		told(AttemptEvent{
			Target: o.target.Name, Number: o.number, Hedge: o.hedge, Took: o.ticket.took(now), Err: err, Verdict: *v,
		})
	}
}

// observeWait tells of a wait that begins.
func (o *operation) observeWait(next *Decision) {
	if told := o.policy.run.observer.Wait; told != nil {
		told(WaitEvent{Target: o.target.Name, Number: o.number, Delay: next.Delay, Rule: next.Rule})
	}
}

// observeEnd tells of the end of the operation.
func (o *operation) observeEnd() {
	told := o.policy.run.observer.End
	if told == nil {
		return
	}
	told(EndEvent{Target: o.target.Name, Attempts: o.number, Elapsed: clock().Sub(o.start), Err: o.result})
}
