package memory

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

// PutGroup implements [store.TaskGroups].
func (s *Store) PutGroup(ctx context.Context, group task.Group, audit ...store.Audit) (*task.Group, error) {
	if err := check.Group(&group); err != nil {
		return nil, err
	}
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if existing := d.groups[group.ID]; existing != nil {
		return cloneGroup(existing), check.SameGroup(existing, &group)
	}
	if err := objects.CheckAudit(audit); err != nil {
		return nil, err
	}
	made := cloneGroup(&task.Group{ID: group.ID, Label: group.Label, Callback: group.Callback, State: task.GroupOpen, CreatedAt: now})
	d.groups[group.ID] = made
	return cloneGroup(made), d.log(audit, now)
}

// CloseGroup implements [store.TaskGroups].
func (s *Store) CloseGroup(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Group, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	group := d.groups[id]
	switch {
	case group == nil:
		return nil, grouped.NotFound(id)
	case group.State != task.GroupOpen:
		return cloneGroup(group), nil
	}
	if err := objects.CheckAudit(audit); err != nil {
		return nil, err
	}
	group.State, group.ClosedAt = task.GroupClosed, now
	return cloneGroup(group), d.log(audit, now)
}

// FinishGroup implements [store.TaskGroups].
func (s *Store) FinishGroup(ctx context.Context, id task.ID, counted task.GroupCounts, callback store.Insert) (*task.Group, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	group := d.groups[id]
	switch {
	case group == nil:
		return nil, grouped.NotFound(id)
	case !group.Complete() || group.Counts != counted:
		return cloneGroup(group), nil
	}
	p, err := d.plan([]store.Insert{callback}, now)
	if err != nil {
		return nil, err
	}
	p.apply()
	group.State, group.DoneAt, group.CallbackTask = task.GroupDone, now, callback.Task.ID
	s.commit(callback.Task.ID.Lane())
	return cloneGroup(group), nil
}

// Group implements [store.TaskGroups].
func (s *Store) Group(ctx context.Context, id task.ID) (*task.Group, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	if group := s.data.groups[id]; group != nil {
		return cloneGroup(group), nil
	}
	return nil, grouped.NotFound(id)
}

// Groups implements [store.TaskGroups].
func (s *Store) Groups(ctx context.Context, state task.GroupState, before task.ID, limit int) (groups []task.Group, err error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	for id, group := range s.data.groups {
		if (state == "" || group.State == state) && (before.IsZero() || id.Compare(before) < 0) {
			groups = append(groups, *cloneGroup(group))
		}
	}
	slices.SortFunc(groups, func(a, b task.Group) int { return b.ID.Compare(a.ID) })
	return groups[:min(len(groups), max(limit, 0))], nil
}

func cloneGroup(g *task.Group) *task.Group {
	c := *g
	c.Callback = *cloneFollow(&g.Callback)
	c.CreatedAt, c.ClosedAt, c.DoneAt = micros(g.CreatedAt), micros(g.ClosedAt), micros(g.DoneAt)
	return &c
}

// groups are those that are there.
type groups map[task.ID]*task.Group

// standings are how the groups of items stand.
func (gs groups) standings(items []store.Insert) map[task.ID]grouped.Standing {
	named := grouped.Of(items)
	if len(named) == 0 {
		return nil
	}
	found := make(map[task.ID]grouped.Standing, len(named))
	for _, id := range named {
		if group := gs[id]; group != nil {
			found[id] = grouped.Standing{State: group.State, Members: group.Counts.Members}
		}
	}
	return found
}

// add adds what was counted to the groups that are there.
func (gs groups) add(counts grouped.Tally) {
	for place, c := range counts {
		if group := gs[place.Group]; group != nil {
			group.Counts = group.Counts.Plus(c)
		}
	}
}

// ended counts a task that has just ended, if it is a member of a group.
func (gs groups) ended(t *task.Task) {
	var counts grouped.Tally
	counts.Ended(t, t.State)
	gs.add(counts)
}

// revived takes back the death of a task that is sent back. One whose group is done
// leaves it.
func (gs groups) revived(t *task.Task) {
	if group := gs[t.Spec.Group]; group == nil || group.State == task.GroupDone {
		t.Spec.Group = task.ID{}
	}
	var counts grouped.Tally
	counts.Revived(t.Spec.Group, t.ID)
	gs.add(counts)
}
