package sealed_test

import (
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// added adds steps to a store.
func (b *bench) added(s store.Steps, steps ...task.Step) {
	b.Helper()
	statuses, err := s.AddSteps(b.Context(), steps)
	b.ok(err)
	for _, status := range statuses {
		if status != store.StatusOK {
			b.Errorf("a step is %s", status)
		}
	}
}

// What somebody has changed in the database about a step does not open: neither another
// argument of its compensation in clear, with Strict, nor one of another step.
func TestChangedStepDoesNotOpen(t *testing.T) {
	b := newBench(t)
	keys := oneKey(1)
	keys.Strict = true
	s := b.seal(keys)
	given := b.task(`1`)
	b.insert(s, store.Insert{Task: given})
	claimed := b.claim(s, given.ID).Tasks[0]
	step := func(name, payload string) task.Step {
		return task.Step{Task: given.ID, Seq: 1, Claim: claimed.Claim, Name: name, Occurrence: 1, Result: []byte(`1`),
			Compensation: &task.Follow{Type: "undo", Payload: []byte(payload)}}
	}
	b.added(s, step("one", `"a"`), step("two", `"b"`))
	read := func() []task.Step {
		steps, err := s.StepsOf(t.Context(), []task.ID{given.ID})
		b.ok(err)
		return steps
	}
	if steps := read(); len(steps) != 2 || steps[0].Unreadable != "" || string(steps[0].Compensation.Payload) != `"a"` || string(steps[1].Result) != `1` {
		t.Fatalf("read %+v", steps)
	}
	below, err := b.raw.StepsOf(t.Context(), []task.ID{given.ID})
	b.ok(err)
	for name, payload := range map[string][]byte{"in clear": []byte(`"c"`), "of another step": below[1].Compensation.Payload, "nothing": nil} {
		forged := slices.Clone(below)
		undo := *forged[0].Compensation
		undo.Payload = payload
		forged[0].Compensation = &undo
		b.added(b.raw, forged...)
		if steps := read(); steps[0].Unreadable == "" {
			t.Errorf("%s: it opens with %s", name, steps[0].Compensation.Payload)
		}
	}
}

// The payload of a signal is sealed, and opens for its task, its name and as what it was alone.
func TestSignalsAreSealed(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	given := b.task(`1`)
	b.insert(s, store.Insert{Task: given})
	claimed := b.claim(s, given.ID).Tasks[0]
	signal := task.Step{Task: given.ID, Name: "a", Type: task.StepSignal, Result: []byte(`"secret"`)}
	for range 2 {
		if done, err := s.Signal(t.Context(), signal); err != nil || string(done.Step.Result) != `"secret"` {
			t.Errorf("answered %+v, %v", done, err)
		}
	}
	_, err := s.Signal(t.Context(), task.Step{Task: given.ID, Claim: claimed.Claim, Name: "b", Type: task.StepTimeout})
	b.ok(err)
	below, err := b.raw.StepsOf(t.Context(), []task.ID{given.ID})
	b.ok(err)
	if !store.IsSealed(below[0].Result) || !store.IsSealed(below[1].Result) {
		t.Errorf("stored in clear: %s", below[0].Result)
	}
	forged := below[1]
	forged.Type, forged.Name, forged.Claim = task.StepSignal, "c", 0
	renamed := below[0]
	renamed.Name, renamed.Claim = "d", 0
	for _, step := range []task.Step{forged, renamed} {
		_, err := b.raw.Signal(t.Context(), step)
		b.ok(err)
	}
	steps, err := s.StepsOf(t.Context(), []task.ID{given.ID})
	b.ok(err)
	for i, readable := range []bool{true, true, false, false} {
		if (steps[i].Unreadable == "") != readable {
			t.Errorf("step %s opens as %s: %s", steps[i].Name, steps[i].Result, steps[i].Unreadable)
		}
	}
	if _, err := s.Signal(t.Context(), task.Step{Task: given.ID, Name: "e", Type: task.StepSignal, Result: below[0].Result}); err == nil {
		t.Error("what looks sealed is taken from a caller")
	}
}
