package outlasttest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/outlasttest"
	"github.com/outlast-dev/outlast/task"
)

// One attempt by itself: the third of three is the last one, and a list that is empty waits.
func testImport(t *testing.T) {
	load := func(_ context.Context, lines []string) error {
		if len(lines) == 0 {
			return outlast.Snooze(time.Hour)
		}
		return errors.New("no space left")
	}
	v := outlasttest.WorkFunc(t, load, []string{"a"}, 3, outlast.MaxAttempts(3))
	if v.Outcome != task.OutcomeDead || v.Reason != task.Exhausted {
		t.Error(v)
	}
	v = outlasttest.WorkFunc(t, load, nil, 1)
	if v.Outcome != task.OutcomeSnoozed || v.Delay != time.Hour {
		t.Error(v)
	}
}

// In a test file this is TestImport.
func ExampleWorkFunc() {
	tests["WorkFunc"] = testImport
}

// The handler of a client, with all that a task can carry.
func testGreeting(t *testing.T) {
	k := outlasttest.Open(t)
	outlast.Define[string, string]("greet").Handle(k.Client, func(ctx context.Context, name string) (string, error) {
		info, _ := outlast.Info(ctx)
		return fmt.Sprintf("%s %s", info.Metadata["word"], name), nil
	})
	draft := outlasttest.Of("greet", "Ada")
	draft.Metadata = map[string]string{"word": "Hello"}
	if v := outlasttest.Work(t, k.Client, draft, 1); string(v.Result) != `"Hello Ada"` {
		t.Error(v, string(v.Result))
	}
}

// In a test file this is TestGreeting.
func ExampleWork() {
	tests["Work"] = testGreeting
}
