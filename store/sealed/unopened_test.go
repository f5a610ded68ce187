package sealed

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Tasks that go on waiting go on being counted, also when there are as many as are
// counted at most, and others take the place of those that have gone.
func TestManyThatDoNotOpen(t *testing.T) {
	var u unopened
	start := time.Unix(1e9, 0)
	for _, after := range []time.Duration{0, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
		for i := range mostUnopened + 1 {
			u.add(task.NewID(start, counter(i)), "k1", start.Add(after))
		}
	}
	if n := u.counts(start.Add(12 * time.Minute))["k1"]; n != mostUnopened {
		t.Errorf("%d of %d that were looked at 4 minutes ago are counted", n, mostUnopened)
	}
	u.add(task.NewID(start, counter(mostUnopened+1)), "k2", start.Add(30*time.Minute))
	if counts := u.counts(start.Add(30 * time.Minute)); len(counts) != 1 || counts["k2"] != 1 {
		t.Errorf("half an hour later: %v", counts)
	}
}

type counter uint64

func (c counter) Uint64() uint64 { return uint64(c) * 0x9E3779B97F4A7C15 }
