package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/outlast-dev/outlast/task"
)

// step is one of a task that is stored.
func step(name string, seq int, claim int64) task.Step {
	return task.Step{Name: name, Occurrence: 1, Seq: seq, Claim: claim}
}

func logOf(t *testing.T, stored ...task.Step) *Log {
	t.Helper()
	l, err := New(&task.Task{Claim: 7, Attempt: 2}, stored)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// do does a step that nothing is stored of.
func do(t *testing.T, l *Log, s *task.Step) error {
	t.Helper()
	if done, err := l.Begin(s.Name, s.Type); err != nil || done != nil {
		t.Fatalf("begin %s: %v %v", s.Name, done, err)
	}
	defer l.End(s.Name)
	if err := l.Next(s); err != nil {
		return err
	}
	l.Wrote(s, true)
	return nil
}

func isMisuse(err error, of string) bool {
	misuse := new(Misuse)
	return errors.As(err, &misuse) && errors.Is(err, &task.Error{Code: task.CodeInvalid}) && strings.Contains(err.Error(), of)
}

// A step gets its place and what it is stored under.
func TestNext(t *testing.T) {
	l := logOf(t, step("a", 1, 3), step("b", 4, 3))
	s := task.Step{Name: "c"}
	if err := do(t, l, &s); err != nil || s.Seq != 5 || s.Claim != 7 || s.Attempt != 2 || s.Occurrence != 1 {
		t.Errorf("%+v %v", s, err)
	}
	again := task.Step{Name: "c"}
	if err := do(t, l, &again); err != nil || again.Seq != 6 || again.Occurrence != 2 {
		t.Errorf("%+v %v", again, err)
	}
}

// Steps side by side have numbers of their own, whichever is stored first.
func TestNextSideBySide(t *testing.T) {
	l, a, b := logOf(t), task.Step{Name: "a"}, task.Step{Name: "b"}
	for _, s := range []*task.Step{&a, &b} {
		if _, err := l.Begin(s.Name, ""); err != nil {
			t.Fatal(err)
		}
		if err := l.Next(s); err != nil {
			t.Fatal(err)
		}
	}
	l.Wrote(&b, true)
	l.Wrote(&a, true)
	c := task.Step{Name: "c"}
	if err := do(t, l, &c); err != nil || a.Seq != 1 || b.Seq != 2 || c.Seq != 3 {
		t.Errorf("%d, %d and %d: %v", a.Seq, b.Seq, c.Seq, err)
	}
}

// What was not stored is asked for again by the next call of the name.
func TestNotStored(t *testing.T) {
	l, s := logOf(t), task.Step{Name: "a"}
	if _, err := l.Begin("a", ""); err != nil {
		t.Fatal(err)
	}
	if err := l.Next(&s); err != nil {
		t.Fatal(err)
	}
	l.Wrote(&s, false)
	l.End("a")
	again := task.Step{Name: "a"}
	if err := do(t, l, &again); err != nil || again.Occurrence != 1 {
		t.Errorf("%+v %v", again, err)
	}
}

// A task has so many steps and no more, but one that replaces another is none more.
func TestMaxSteps(t *testing.T) {
	stored := []task.Step{{Name: "undone", Occurrence: 1, Seq: 1, Claim: 3, Compensation: &task.Follow{}}}
	for i := 1; i < task.MaxSteps-1; i++ {
		stored = append(stored, step(fmt.Sprint("s", i), i+1, 3))
	}
	l, err := New(&task.Task{Claim: 7, Spec: task.Spec{Undone: 3}}, stored)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"last", "undone"} {
		if err := do(t, l, &task.Step{Name: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if done, err := l.Begin("more", ""); done != nil || !isMisuse(err, "1000 steps") { // before it is done
		t.Error(done, err)
	}
}

// Steps have so many bytes together, results and compensations; one that replaces another
// counts without that.
func TestMaxStepBytes(t *testing.T) {
	half := json.RawMessage(strings.Repeat("1", task.MaxStepBytes/2))
	undone := task.Step{Name: "undone", Occurrence: 1, Seq: 1, Claim: 3, Compensation: &task.Follow{Payload: half}}
	l, err := New(&task.Task{Claim: 7, Spec: task.Spec{Undone: 3}}, []task.Step{undone, {Name: "b", Occurrence: 1, Seq: 2, Claim: 3, Result: half[1:]}})
	if err != nil {
		t.Fatal(err)
	}
	if err := do(t, l, &task.Step{Name: "undone", Result: half[2:], Compensation: &task.Follow{Payload: half[:1]}}); err != nil {
		t.Error(err)
	}
	if err := do(t, l, &task.Step{Name: "c", Result: half[:3]}); !isMisuse(err, "bytes together") {
		t.Error(err)
	}
	if err := do(t, l, &task.Step{Name: "d", Result: half[:2]}); err != nil {
		t.Errorf("the step that fits exactly: %v", err)
	}
}

// Unasked are names of earlier attempts, each once, and none that this one has done itself.
func TestUnasked(t *testing.T) {
	second, third := step("b", 3, 3), step("b", 4, 3)
	second.Occurrence, third.Occurrence = 2, 3
	l := logOf(t, step("c", 5, 3), step("a", 1, 3), step("b", 2, 3), second, third)
	if done, err := l.Begin("b", ""); err != nil || done == nil || done.Seq != 2 {
		t.Fatal(done, err)
	}
	if err := do(t, l, &task.Step{Name: "new"}); err != nil {
		t.Fatal(err)
	}
	if got := l.Unasked(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Error(got)
	}
	for _, name := range []string{"a", "b", "b", "c"} {
		if done, err := l.Begin(name, ""); err != nil || done == nil {
			t.Fatal(name, done, err)
		}
	}
	if got := l.Unasked(); got != nil {
		t.Error(got)
	}
}

// The end of an attempt waits for what is being written, and nothing begins after it.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s := logOf(t, step("before", 1, 3)), task.Step{Name: "a"}
		for _, name := range []string{"a", "slow"} {
			if _, err := l.Begin(name, ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Next(&s); err != nil {
			t.Fatal(err)
		}
		closed := make(chan struct{})
		go func() {
			l.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("it has not waited for the step that is being written")
		default:
		}
		if err := l.Next(&task.Step{Name: "slow"}); !isMisuse(err, "after the end") {
			t.Error(err)
		}
		for _, name := range []string{"before", "b"} {
			if done, err := l.Begin(name, ""); done != nil || !isMisuse(err, "after the end") {
				t.Error(name, done, err)
			}
		}
		l.Wrote(&s, true)
		<-closed
	})
}

// What dies is undone from its last step on, but for what was undone before.
func TestToUndo(t *testing.T) {
	with := func(s task.Step) task.Step {
		s.Compensation = &task.Follow{Type: "undo"}
		return s
	}
	dies := &task.Task{Claim: 7, Spec: task.Spec{Undone: 3}}
	undo, err := ToUndo(dies, []task.Step{with(step("old", 1, 3)), with(step("a", 2, 5)), step("none", 3, 5), with(step("b", 3, 5)), with(step("c", 4, 7))})
	var names []string
	for _, s := range undo {
		names = append(names, s.Name)
	}
	if err != nil || !slices.Equal(names, []string{"c", "b", "a"}) {
		t.Error(names, err)
	}
}

// A step that cannot be read stops both, an attempt and what undoes steps.
func TestUnreadable(t *testing.T) {
	stored := []task.Step{step("a", 1, 3), {Name: "b", Occurrence: 1, Seq: 2, Claim: 3, Unreadable: "its key is missing"}}
	_, one := New(&task.Task{}, stored)
	_, other := ToUndo(&task.Task{}, stored)
	for _, err := range []error{one, other} {
		if unreadable := new(Unreadable); !errors.As(err, &unreadable) || !strings.Contains(err.Error(), "its key is missing") {
			t.Error(err)
		}
	}
}
