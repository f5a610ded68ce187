package task_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/task"
)

func TestErrorSaysWhatWhereAndHow(t *testing.T) {
	err := fmt.Errorf("enqueue: %w", &task.Error{
		Code: task.CodeInvalid, Message: "the task is invalid", Hint: "see the documentation", Err: io.EOF,
		Fields: []task.Field{{Path: "delay", Message: "is negative"}, {Path: "key", Message: "is empty"}},
	})
	if got, want := err.Error(), "enqueue: the task is invalid; delay: is negative; key: is empty (see the documentation)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(err, &task.Error{Code: task.CodeInvalid}) || errors.Is(err, &task.Error{Code: task.CodeNotFound}) || !errors.Is(err, io.EOF) {
		t.Error("the code or the cause is not found in the chain")
	}
	if got := task.Invalid("id", "is no id", "make one").Error(); got != "id: is no id (make one)" {
		t.Errorf("got %q", got)
	}
}

func TestQuoteHidesNothingAndSmugglesNothing(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                   `"plain"`,
		"line\nbreak\x1b[31m\x00": `"line\nbreak\x1b[31m\x00"`,
		"\u202Egpj.exe":           "\"\uFFFDgpj.exe\"",
		"雪":                       `"雪"`,
		"\xff":                    "\"\uFFFD\"",
	} {
		if got := task.Quote(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got := task.Quote(strings.Repeat("é", 1000)); len(got) > 200 || !strings.HasSuffix(got, `…"`) {
		t.Errorf("a long text becomes %s", got)
	}
}

func TestFingerprintGroupsWhatIsTheSameToAPerson(t *testing.T) {
	shape := func(taskType, message string) string {
		return task.Fingerprint(taskType, &task.Failure{Category: "network", Type: "*net.OpError", Message: message})
	}
	base := shape("mail", "dial tcp 10.0.0.1:51234: connection refused after 12ms, request 7f3a9c2e55d0")
	if same := shape("mail", "dial tcp 10.0.0.9:40001: connection refused after 3ms, request 01d2aa98bc3f"); same != base {
		t.Error("addresses, times and ids split a group")
	}
	for name, other := range map[string]string{
		"type": shape("sms", "dial tcp 10.0.0.1:51234: connection refused after 12ms, request 7f3a9c2e55d0"),
		"text": shape("mail", "dial tcp 10.0.0.1:51234: connection reset after 12ms, request 7f3a9c2e55d0"),
	} {
		if other == base {
			t.Errorf("another %s is in the same group", name)
		}
	}
	if len(base) != 16 {
		t.Errorf("fingerprint %q", base)
	}
}
