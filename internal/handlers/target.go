package handlers

import (
	"fmt"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/task"
)

// TargetOf is the target of a task that is made here. The handler of its type names it;
// without one it is named by what came with the task, nil for nothing.
func (h *Handlers) TargetOf(taskType string, payload []byte, request *task.Request, named func(payload []byte) string) (target string, err error) {
	if request != nil {
		return accept.TargetOf(taskType, request), nil
	}
	if rules := h.Rules(taskType); rules != nil {
		named = rules.target
	}
	if named == nil {
		return taskType, nil
	}
	defer func() {
		if value := recover(); value != nil {
			target, err = taskType, fmt.Errorf("naming the target of %s panicked: %v", task.Quote(taskType), value)
		}
	}()
	switch name := named(payload); {
	case name == "":
		return taskType, nil
	case !accept.IsName(name) || len(name) > task.MaxName:
		return taskType, fmt.Errorf("the handler of %s names %s as the target", task.Quote(taskType), task.Quote(name))
	default:
		return task.NamedTarget(name), nil
	}
}

// Unguarded reports whether nothing that tasks of the type do may hold others back.
func (h *Handlers) Unguarded(taskType string) bool {
	rules := h.Rules(taskType)
	return rules != nil && rules.unguarded
}
