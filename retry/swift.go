package retry

import "context"

// swift reports whether a first attempt needs nothing but its guards: no context
// of its own, nobody to tell how long it took. Most calls are like that and succeed
// at once, so that the state of an operation would be half of their cost. It
// returns the target, nil for one without guards, and whether the caller has a
// deadline.
func (p *Policy) swift(ctx context.Context, opts []CallOption) (target *Target, limited, ok bool) {
	if !p.isMade() || p.run.timed || p.firstRun > 0 || ctx.Err() != nil {
		return nil, false, false
	}
	target = &p.run.target
	if len(opts) > 0 {
		var t terms
		for _, opt := range opts {
			t = opt.change(t)
		}
		if t.target != nil {
			target = t.target
			if target.measures() {
				return nil, false, false
			}
		}
	}
	if !target.guards() {
		target = nil
	}
	_, limited = ctx.Deadline()
	return target, limited, true
}

// resume is persist after a first attempt that failed.
func resume(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts []CallOption, k *ticket, err error) error {
	var o operation
	o.open(ctx, p, opts)
	o.number, o.current, o.ticket = 1, ctx, *k
	if !k.began.IsZero() {
		o.start = k.began
	}
	for again := o.settle(err); again && o.pause() && o.begin(); again = o.settle(o.call(fn)) {
	}
	o.pace()
	return o.outcome()
}

// refuse is persist after a refusal of the first attempt.
func refuse(ctx context.Context, p *Policy, opts []CallOption, err error) error {
	var o operation
	o.open(ctx, p, opts)
	o.refuse(err)
	o.pace()
	return o.outcome()
}
