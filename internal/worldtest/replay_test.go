package worldtest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/internal/worldtest"
)

func once(t *testing.T, seed uint64) (r *worldtest.Report) {
	synctest.Test(t, func(t *testing.T) { r = worldtest.Run(t, seed) })
	return r
}

// TestReplay: a seed gives the same schedule of inputs and faults, byte for byte, and
// another seed another one. How far what engines do is the same is told, not asked.
func TestReplay(t *testing.T) {
	racetest.WithoutDetector(t)
	var whole, lines, total int
	var last string
	for seed := range uint64(10) {
		first, second := once(t, seed), once(t, seed)
		if first.Plan != second.Plan {
			t.Errorf("seed %d gives two schedules", seed)
		}
		if first.Plan == last {
			t.Errorf("seed %d gives the schedule of the one before", seed)
		}
		last = first.Plan
		a, b := strings.Split(first.Log, "\n"), strings.Split(second.Log, "\n")
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		lines, total = lines+same, total+len(a)
		if first.Log == second.Log {
			whole++
		}
	}
	t.Logf("%d of 10 logs are the same to the end, and %d of %d lines before the first difference", whole, lines, total)
}
