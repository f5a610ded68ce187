package task_test

import (
	"testing"

	"github.com/outlast-dev/outlast/task"
)

func TestLabel(t *testing.T) {
	for label, text := range map[task.Label]string{
		{}:                                    "",
		{Policy: "payment", PolicyVersion: 3}: "payment@3",
		{Release: "1.4 beta@2"}:               " 1.4 beta@2",
		{Policy: "pay.card", PolicyVersion: 12, Release: "a/b main"}:    "pay.card@12 a/b main",
		{Policy: "odd@name", PolicyVersion: 1, Release: " with edges "}: "odd@name@1  with edges ",
	} {
		if got := label.String(); got != text {
			t.Errorf("%+v is %q, not %q", label, got, text)
		}
		if got := task.ParseLabel(text); got != label {
			t.Errorf("%q is %+v, not %+v", text, got, label)
		}
	}
}

func TestHolder(t *testing.T) {
	for _, of := range [][3]string{{"n1", "", ""}, {"n1", "w1", ""}, {"n1", "w1", "feature/x 2"}} {
		holder := of[0]
		if of[1] != "" {
			holder = task.Holder(of[0], of[1], of[2])
		}
		if node, worker, release := task.Runner(holder); of != [3]string{node, worker, release} {
			t.Errorf("%q is of %q, %q, %q", holder, node, worker, release)
		}
	}
}
