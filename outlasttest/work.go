package outlasttest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Verdict is what one attempt has come to.
type Verdict struct {
	// Outcome is what becomes of the task: succeeded, failed (and is tried again), snoozed,
	// dead, canceled, released.
	Outcome task.Outcome
	// Result is what the handler has returned, JSON; nil for none.
	Result json.RawMessage
	// Err is the error of the handler as it was returned, nil for success.
	Err error
	// Failure is what would be kept of the error: category, code, message. Nil where none is
	// kept: of success, and of what a handler asks for without a failure.
	Failure *task.Failure
	// Reason is why the task is dead, "" where it is not.
	Reason task.DeadReason
	// Rule is which rule of the policy has decided, or what the handler has asked for.
	Rule string
	// Attempt is the number of this one, MaxAttempts the limit that holds, 0 for none.
	Attempt, MaxAttempts int
	// Delay is the wait before the next run, 0 where none follows. What a policy draws by
	// chance is the middle of what it may draw, so that it is the same each time. At is when
	// the next run is, the zero time for never.
	Delay time.Duration
	At    time.Time
}

// String says it in a line, such as "failed, attempt 2 of 8, again in 1.5s: unavailable: no".
func (v Verdict) String() string {
	text := string(v.Outcome)
	if v.Reason != "" {
		text += " (" + string(v.Reason) + ")"
	}
	text += fmt.Sprintf(", attempt %d", v.Attempt)
	if v.MaxAttempts > 0 {
		text += fmt.Sprintf(" of %d", v.MaxAttempts)
	}
	if !v.At.IsZero() {
		text += ", again in " + v.Delay.String()
	}
	if v.Failure != nil {
		text += ": " + v.Failure.Category + ": " + v.Failure.Message
	}
	return text
}

// Of is the draft of a task of a type with a payload in its JSON form; []byte and
// [json.RawMessage] are taken as they are. A payload without such a form is a panic.
func Of(taskType string, payload any) outlast.Draft {
	text, err := encode(payload)
	if err != nil {
		panic(fmt.Sprintf("outlasttest: the payload of %s has no JSON form: %v", taskType, err))
	}
	return outlast.Draft{Type: taskType, Payload: text}
}

func encode(payload any) ([]byte, error) {
	switch raw := payload.(type) {
	case []byte:
		return raw, nil
	case json.RawMessage:
		return raw, nil
	}
	return json.Marshal(payload)
}

// Work runs the handler that a client has for a draft, or its HTTP request, as the attempt of a
// number, from 1, and returns what would become of the task under the policy that holds for it.
// Key, metadata, deadline and limits of the draft hold as if it had been enqueued. Nothing is
// stored: no breaker, budget or limit of a target is asked, no alert is raised and no fallback
// made. A client that has not started will do. A draft that Enqueue would refuse, or that has no handler, ends the test.
func Work(t testing.TB, client *outlast.Client, draft outlast.Draft, attempt int) Verdict {
	t.Helper()
	if attempt < 1 {
		t.Fatalf("outlasttest: attempts count from 1, there is no attempt %d", attempt)
	}
	tried, err := serving.Of(client).Try(t.Context(), draft, attempt, middle{})
	if err != nil {
		t.Fatalf("outlasttest: %s cannot run: %v", draft.Type, err)
	}
	end := tried.Settlement
	return Verdict{
		Outcome: end.Outcome, Result: end.Result, Err: tried.Err, Failure: end.Failure, Reason: end.DeadReason, Rule: tried.Rule,
		Attempt: attempt, MaxAttempts: tried.MaxAttempts, Delay: tried.Delay, At: end.RunAt,
	}
}

// WorkFunc is [Work] for a function that is no client's handler yet, with the options that it
// would be registered with.
func WorkFunc[T any](t testing.TB, fn func(ctx context.Context, payload T) error, payload T, attempt int, opts ...outlast.HandleOption) Verdict {
	t.Helper()
	client, err := outlast.Open(t.Context(), memory.New())
	if err != nil {
		t.Fatal(err)
	}
	outlast.Handle(client, "test", fn, opts...)
	return Work(t, client, Of("test", payload), attempt)
}

// middle is the middle of what may be drawn.
type middle struct{}

// Float64 implements [retry.Rand].
func (middle) Float64() float64 { return 0.5 }
