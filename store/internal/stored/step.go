package stored

import (
	"cmp"
	"encoding/json"

	"github.com/outlast-dev/outlast/task"
)

// Step is a step as a database keeps it beside its task, Seq and Claim: what is known of it
// as JSON, its result, and the argument of its compensation, both nil for none.
func Step(step *task.Step) (about, result, argument []byte, err error) {
	known := *step
	if undo := step.Compensation; undo != nil {
		argument = undo.Payload
		bare := *undo
		bare.Payload = nil
		known.Compensation = &bare
	}
	about, err = json.Marshal(&known)
	return about, step.Result, argument, err
}

// SetStep reads into a step, whose Task, Seq and Claim are set, what Step made. What cannot be
// read is told by Unreadable.
func SetStep(step *task.Step, about, result, argument []byte) {
	if err := json.Unmarshal(about, step); err != nil {
		step.Unreadable = "what is kept of a step cannot be read in the database: " + err.Error()
	}
	if step.Type == task.StepSignal && step.EndsWait() {
		step.Claim = 0 // that of the row is for the database
	}
	if len(result) > 0 {
		step.Result = result
	}
	if step.Compensation != nil {
		step.Compensation.Payload = argument
	}
}

// StepOrder is the order of [store.Steps.StepsOf].
func StepOrder(a, b task.Step) int {
	return cmp.Or(a.Task.Compare(b.Task), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Occurrence, b.Occurrence))
}
