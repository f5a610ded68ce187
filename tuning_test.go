package outlast

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Limits that no node can work with are refused by Open: a negative batch ended the
// process at the first enqueue.
func TestTuningIsChecked(t *testing.T) {
	t.Parallel()
	for field, wrong := range map[string]Tuning{
		"tuning.slots": {Slots: -1}, "tuning.near_future": {NearFuture: -1}, "tuning.in_flight": {InFlight: -1},
		"tuning.horizon": {Horizon: -1}, "tuning.poll": {Poll: -1}, "tuning.deaf_poll": {DeafPoll: -1}, "tuning.beat": {Beat: -1},
		"tuning.batch": {Batch: 1001}, "tuning.share": {Share: math.NaN()},
	} {
		_, err := Open(t.Context(), memory.New(), WithTuning(wrong))
		if refused, ok := errors.AsType[*task.Error](err); !ok || len(refused.Fields) != 1 || refused.Fields[0].Path != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, right := range []Tuning{{}, {Grace: -1}, {Batch: 1000, Share: 1, Poll: time.Hour, Slots: 1}} {
		if _, err := Open(t.Context(), memory.New(), WithTuning(right)); err != nil {
			t.Errorf("%+v: %v", right, err)
		}
	}
}

// What an option has set stays where a later one says nothing.
func TestTuningAddsUp(t *testing.T) {
	t.Parallel()
	c, err := Open(t.Context(), memory.New(), WithSlots(7), WithTuning(Tuning{Batch: 5, Grace: time.Minute}), WithGrace(time.Second), WithSlots(0))
	if err != nil {
		t.Fatal(err)
	}
	if Tuning(c.options.Tuning) != (Tuning{Slots: 7, Batch: 5, Grace: time.Second}) {
		t.Errorf("%+v", c.options.Tuning)
	}
}
