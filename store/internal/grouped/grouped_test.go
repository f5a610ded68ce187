package grouped_test

import (
	"errors"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/task"
)

// A group of tasks has room for so many members, also within one batch.
func TestGroupThatIsFull(t *testing.T) {
	id := task.ID{1}
	member := store.Insert{Task: &task.Task{ID: task.ID{2}, Spec: task.Spec{Group: id}}}
	insert := func(members int, batch ...store.Insert) error {
		var tally grouped.Tally
		return tally.Inserted(batch, func(int) bool { return true }, map[task.ID]grouped.Standing{id: {State: task.GroupOpen, Members: members}})
	}
	if err := insert(task.MaxGroup-1, member); err != nil {
		t.Errorf("the last member: %v", err)
	}
	for name, err := range map[string]error{"one more": insert(task.MaxGroup, member), "two more, one place": insert(task.MaxGroup-1, member, member)} {
		if refused, ok := errors.AsType[*task.Error](err); !ok || refused.Code != task.CodeTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}
