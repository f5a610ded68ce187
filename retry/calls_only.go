package retry

// CallsOnly names the options of the policy that are for calls in this process, and
// mean nothing to durable tasks: those have guards by the keys of their policy,
// observers of their engine, and are repeated although an attempt may have had an
// effect. [Idempotent] is not among them, since tasks are.
func (p *Policy) CallsOnly() []string {
	r := &p.run
	var names []string
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"For", r.target.Name != ""},
		{"WithBudget", r.target.Budget != nil},
		{"WithBreaker", r.target.Breaker != nil},
		{"WithThrottle", r.target.Throttle != nil},
		{"WithLimit", r.target.Limit != nil},
		{"WithRand", r.random != nil},
		{"Hedge", r.hedged},
		{"OnExhausted", r.exhausted != FailFast},
		{"Observe", r.observer.Attempt != nil || r.observer.Wait != nil || r.observer.End != nil},
		{"NotIdempotent", r.safe == notIdempotent},
		{"Independent", r.independent},
		{"OneExchange", r.exchange},
	} {
		if option.set {
			names = append(names, option.name)
		}
	}
	return names
}
