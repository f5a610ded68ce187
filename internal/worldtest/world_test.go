package worldtest_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/internal/worldtest"
)

func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestWorlds is the number of worlds that OUTLAST_WORLDS says, or the one of the seed
// that OUTLAST_WORLD says, with all that happens in it.
func TestWorlds(t *testing.T) {
	racetest.WithoutDetector(t)
	from, seeds := uint64(0), number(t, "OUTLAST_WORLDS", 200)
	if one := os.Getenv("OUTLAST_WORLD"); one != "" {
		from, seeds = number(t, "OUTLAST_WORLD", 0), 1
	}
	for seed := from; seed < from+seeds; seed++ {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { live(t, seed, seeds == 1) })
	}
}

// TestRacedWorlds is for the race detector.
func TestRacedWorlds(t *testing.T) {
	for seed := range number(t, "OUTLAST_WORLDS", 10) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { live(t, seed, false) })
	}
}

func live(t *testing.T, seed uint64, aloud bool) {
	synctest.Test(t, func(t *testing.T) {
		r := worldtest.Run(t, seed)
		if len(r.Wrong) > 0 {
			t.Errorf("%s", strings.Join(r.Wrong, "\n"))
		}
		if t.Failed() && !aloud {
			t.Logf("play it again: make world WORLD=%d", seed)
		}
		if aloud {
			t.Logf("%s\n%s", r.Plan, r.Log)
		}
		t.Logf("%d tasks, %d runs, %d recovered, %d nodes came back, %d stale, slowest %s", r.Tasks, r.Runs, r.Recovered, r.Died, r.Stale, r.Slowest)
	})
}
