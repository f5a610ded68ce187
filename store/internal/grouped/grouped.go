// Package grouped counts what a transaction changes about the members of groups of tasks.
package grouped

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Place is what has a row of counts: a lane of a group.
type Place struct {
	Group task.ID
	Lane  uint16
}

// Tally is what is to be added to counts.
type Tally map[Place]task.GroupCounts

// Ended counts a member that has ended; other tasks and states are nobody's.
func (t *Tally) Ended(member *task.Task, state task.State) {
	if state.Final() {
		t.add(member.Spec.Group, member.ID, state, 1)
	}
}

// Revived takes back the death of a member.
func (t *Tally) Revived(group, member task.ID) { t.add(group, member, task.Dead, -1) }

func (t *Tally) add(group, member task.ID, state task.State, n int) {
	if group.IsZero() {
		return
	}
	if *t == nil {
		*t = Tally{}
	}
	place := Place{group, member.Lane()}
	counts := (*t)[place]
	counts.Add(state, n)
	(*t)[place] = counts
}

// Places are those that are counted, in the order in which everybody changes them.
func (t Tally) Places() []Place {
	return slices.SortedFunc(maps.Keys(t), func(a, b Place) int {
		return cmp.Or(a.Group.Compare(b.Group), cmp.Compare(a.Lane, b.Lane))
	})
}

// Of are the groups that have members among items, in the order in which everybody locks them.
func Of(items []store.Insert) (groups []task.ID) {
	for i := range items {
		if t := items[i].Task; t != nil && !t.Spec.Group.IsZero() && (len(groups) == 0 || groups[len(groups)-1] != t.Spec.Group) {
			groups = append(groups, t.Spec.Group)
		}
	}
	slices.SortFunc(groups, task.ID.Compare)
	return slices.Compact(groups)
}

// Standing is how a group stands that members are to come to.
type Standing struct {
	State   task.GroupState
	Members int
}

// Inserted counts the items that are new: an item of which isNew says so. A group that takes
// no more is an error, and nothing that was inserted may stay.
func (t *Tally) Inserted(items []store.Insert, isNew func(i int) bool, groups map[task.ID]Standing) error {
	for i := range items {
		member := items[i].Task
		id := member.Spec.Group
		if id.IsZero() || !isNew(i) {
			continue
		}
		standing, found := groups[id]
		switch {
		case !found:
			return NotFound(id)
		case standing.State != task.GroupOpen:
			return &task.Error{Code: task.CodeConflict, Message: "the group of tasks " + id.String() + " is " + string(standing.State) + " and takes no more members",
				Hint: "enqueue all members before the group is closed"}
		case standing.Members >= task.MaxGroup:
			return &task.Error{Code: task.CodeTooLarge, Message: "the group of tasks " + id.String() + " would have more than " + strconv.Itoa(task.MaxGroup) + " members", Hint: "make another group"}
		}
		standing.Members++
		groups[id] = standing
		t.add(id, member.ID, task.Pending, 1)
	}
	return nil
}

// NotFound is the error for a group that is not there.
func NotFound(id task.ID) error { return task.NotFound("group of tasks", id.String()) }
