package retry

// again is a copy of the policy, which has yet to learn how long its attempts take.
func (p *Policy) again() *Policy {
	return &Policy{content: p.content, run: running{runSettings: p.run.runSettings}}
}

// Named returns a copy of the policy with the name and version under which it is
// kept somewhere. They decide nothing; records of attempts show them.
func (p *Policy) Named(name string, version int64) *Policy {
	named := p.again()
	named.name, named.version = name, version
	return named
}

// Limited returns a copy of the policy with another number of attempts, the first
// included: 1 to 1 000 000, or a [FieldError] on "max_attempts".
func (p *Policy) Limited(attempts int) (*Policy, error) {
	if attempts < 1 || attempts > mostAttempts {
		var f findings
		refuseAttempts(&f, attempts)
		return nil, f.err()
	}
	limited := p.again()
	limited.attempts, limited.unlimited = attempts, false
	return limited, nil
}

// Once returns a copy of the policy without retries, whatever its rules and
// [Failure.MaxAttempts] say.
func (p *Policy) Once() *Policy {
	once := p.again()
	once.final = true
	return once
}

// IsOnce reports whether the policy was made by [Policy.Once].
func (p *Policy) IsOnce() bool { return p.final }
