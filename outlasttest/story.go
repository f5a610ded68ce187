package outlasttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/task"
)

// Story returns the recorded attempts of a task, the oldest first.
func Story(t testing.TB, client *outlast.Client, id outlast.ID) []task.Attempt {
	t.Helper()
	attempts, err := client.Inspector().Tasks.Attempts(t.Context(), id)
	if err != nil {
		t.Fatalf("outlasttest: the attempts of %s cannot be read: %v", id, err)
	}
	return attempts
}

// RequireStory ends the test unless the attempts of a task ended as these lines say, one for
// each: the outcome, and behind it, where that matters, the category of the failure, as in
// "failed unavailable", "failed timeout", "snoozed", "succeeded". It returns the attempts, the
// oldest first. The message has the whole story, with times.
func RequireStory(t testing.TB, client *outlast.Client, id outlast.ID, lines ...string) []task.Attempt {
	t.Helper()
	attempts := Story(t, client, id)
	right := len(attempts) == len(lines)
	for i := 0; right && i < len(lines); i++ {
		right = tells(&attempts[i], lines[i])
	}
	if !right {
		t.Fatalf("outlasttest: the story of task %s is another one\nwanted:\n  %s\nit is:\n%s", id, strings.Join(lines, "\n  "), told(attempts))
	}
	return attempts
}

// tells reports whether a line says how an attempt ended.
func tells(a *task.Attempt, line string) bool {
	outcome, category, named := strings.Cut(line, " ")
	return outcome == string(a.Outcome) && (!named || a.Failure != nil && a.Failure.Category == category)
}

// told are attempts as lines.
func told(attempts []task.Attempt) string {
	if len(attempts) == 0 {
		return "  no attempt"
	}
	var text strings.Builder
	for i := range attempts {
		a := &attempts[i]
		fmt.Fprintf(&text, "  %s", a.Outcome)
		if a.Failure != nil {
			fmt.Fprintf(&text, " %s: %s", a.Failure.Category, short(a.Failure.Message))
		}
		fmt.Fprintf(&text, " (attempt %d, after %s", a.Number, a.StartedAt.Sub(attempts[0].StartedAt).Round(time.Millisecond))
		if a.NextDelay > 0 {
			fmt.Fprintf(&text, ", again in %s", a.NextDelay)
		}
		text.WriteString(")\n")
	}
	return strings.TrimSuffix(text.String(), "\n")
}
