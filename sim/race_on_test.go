//go:build race

package sim

// quick scenarios are those that are played with the race detector, which makes
// them ten times slower: an engine of one goroutine has no races to find.
var quick = []string{"S6", "S9", "S11", "S12", "S15"}

const seeds = 1
