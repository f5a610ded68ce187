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
