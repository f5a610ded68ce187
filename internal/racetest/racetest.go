// Package racetest tells tests whether the race detector watches them.
//
// A test that does one thing after another, or hours of virtual time, has nothing to
// tell the detector, which makes it ten to thirty times slower. It says so in its first
// line:
//
//	racetest.WithoutDetector(t)
//
// Run with the detector it is then left out; make test runs it once more without, and
// reads the names of such tests in their code. What it must keep: a test at which
// goroutines meet that no other test brings together does not call it.
package racetest

import (
	"strings"
	"testing"
)

// WithoutDetector skips a test where the race detector is on.
func WithoutDetector(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("it does one thing after another: it runs without the race detector")
	}
}

// OneCaller is [WithoutDetector] for a rule of package storetest, unless it is one of
// calls at once, whose names begin with race/.
func OneCaller(t testing.TB) {
	t.Helper()
	if !strings.Contains(t.Name(), "/race/") {
		WithoutDetector(t)
	}
}
