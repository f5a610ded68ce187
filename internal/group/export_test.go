package group

import "github.com/outlast-dev/outlast/retry"

// Spread has learned waits spread by a random number of the test's own.
func (g *Groups) Spread(by retry.Rand) { g.random = by }
