package signals_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/task"
)

// A task may be full of steps and signals when it waits: no signal fits any more, and it must
// be told that none came.
func TestWaitsOfAFullTaskEnd(t *testing.T) {
	now := time.Unix(1_800_000_000, 0).UTC()
	full := make([]task.Step, task.MaxSteps)
	for i := range full {
		full[i] = task.Step{Name: strconv.Itoa(i), Occurrence: 1, Claim: 1}
	}
	full[0] = task.Step{Name: "approval", Occurrence: 1, Claim: 1, Type: task.StepAwait, Until: now}
	runs := &task.Task{State: task.Running, Claim: 2}
	late := task.Step{Name: "approval", Claim: 2, Type: task.StepTimeout}
	if done, err := signals.Decide(runs, full, &late, now); err != nil || done.Status != store.StatusOK || !done.Added {
		t.Errorf("the end of the time: %+v, %v", done, err)
	}
	signal := task.Step{Name: "approval", Type: task.StepSignal}
	if _, err := signals.Decide(runs, full, &signal, now); !errors.Is(err, &task.Error{Code: task.CodeTooLarge}) {
		t.Errorf("a signal: %v", err)
	}
}
