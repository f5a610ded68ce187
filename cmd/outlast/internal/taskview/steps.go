package taskview

import (
	"fmt"
	"io"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// StepRows are steps as a table.
func StepRows(steps []client.Step) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "STEP", "ATTEMPT", "STARTED", "ENDED", "RESULT", "COMPENSATION", "NOTE")
		for i := range steps {
			s := &steps[i]
			compensation := ""
			if c := s.Compensation; c != nil {
				compensation = cli.Short(c.Type+" "+string(c.Payload), 60)
			}
			cli.Row(w, stepName(s), s.Attempt, cli.When(s.StartedAt), cli.When(s.EndedAt), cli.Short(string(s.Result), 60), compensation, stepNote(s))
		}
	}
}

// stepName is the name of a step, with its occurrence from the second on.
func stepName(s *client.Step) string {
	name := cli.Short(s.Name, 60)
	if s.Occurrence == 0 {
		return name + " (" + cli.Short(s.Type, 20) + ")"
	}
	if s.Occurrence > 1 {
		return fmt.Sprintf("%s #%d", name, s.Occurrence)
	}
	return name
}

// stepNote is what is special about a step.
func stepNote(s *client.Step) string {
	switch {
	case s.Unreadable != "":
		return "unreadable: " + cli.Short(s.Unreadable, 80)
	case s.Undone:
		return "undone"
	case s.Type == "await" && !s.Until.IsZero():
		return "waits until " + cli.When(s.Until)
	case !s.Until.IsZero():
		return "sleeps until " + cli.When(s.Until)
	}
	return ""
}

// ShowSteps writes a table of steps below what was shown before, if there are any and
// tables are asked for.
func ShowSteps(c *cli.Env, steps []client.Step) error {
	if len(steps) == 0 || c.Output != "table" {
		return nil
	}
	if _, err := io.WriteString(c.Out, "\n"); err != nil {
		return err
	}
	return c.Table(StepRows(steps))
}
