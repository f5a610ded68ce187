//go:build !race

package sim

// quick is empty: all scenarios are played.
var quick []string

const seeds = 5
