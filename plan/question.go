package plan

import (
	"errors"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Question is all that can be asked about a policy, as the command line and the
// HTTP API ask it.
type Question struct {
	// Spec is the policy.
	Spec *retry.Spec
	Env
	// Solve, when not empty, looks for that variable; see [Solve].
	Solve Variable
	// Fit adds the presets that fit the time limit; see [Fit].
	Fit bool
}

// Answer plans the policy, solved first if that was asked for.
func (q Question) Answer() (*Report, error) {
	report, err := q.report()
	if err != nil || !q.Fit {
		return report, err
	}
	var ttl time.Duration
	if report.Policy.TTL != nil {
		ttl = time.Duration(*report.Policy.TTL)
	}
	report.Fitting, err = Fit(limit(ttl, q.Deadline), q.AttemptTime)
	return report, err
}

func (q Question) report() (*Report, error) {
	if q.Solve != "" {
		return Solve(q.Spec, q.Solve, q.Env)
	}
	policy, err := q.Spec.Policy()
	if err != nil {
		_, wrong := q.withDefaults()
		return nil, errors.Join(err, wrong)
	}
	return Of(policy, q.Env)
}
