package wire

import (
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// Steps are those of one task, of which those with a compensation, and waits for signals, are
// undone that ended under a claim up to undone.
func Steps(steps []task.Step, undone int64) []client.Step {
	if len(steps) == 0 {
		return nil
	}
	of := &task.Task{Spec: task.Spec{Undone: undone}}
	return Each(steps, func(s *task.Step) client.Step {
		out := client.Step{
			Name: s.Name, Occurrence: s.Occurrence, Attempt: s.Attempt, StartedAt: Time(s.StartedAt), EndedAt: Time(s.EndedAt),
			Type: s.Type, Until: Time(s.Until), Undone: s.Compensation != nil && !s.Compensates(of) || s.Forgotten(of), Unreadable: s.Unreadable,
		}
		if s.Unreadable == "" { // else it is what cannot be read
			out.Result = s.Result
		}
		if c := s.Compensation; c != nil {
			out.Compensation = &client.Compensation{Type: c.Type}
			if s.Unreadable == "" {
				out.Compensation.Payload = c.Payload
			}
		}
		return out
	})
}

// CompensationOf is the task that undoes a step.
func CompensationOf(c *client.Compensation) *task.Follow {
	if c == nil {
		return nil
	}
	return &task.Follow{Type: c.Type, Payload: c.Payload}
}
