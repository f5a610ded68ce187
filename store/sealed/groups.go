package sealed

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

// carrier is a task under the id of a group of tasks with its callback, which is sealed as
// that of a task is, and bound to that id and to where it goes.
func carrier(g *task.Group) *task.Task {
	return &task.Task{ID: g.ID, Spec: task.Spec{OnSuccess: &g.Callback}}
}

// sealGroup seals a payload also where there is none: to whom the callback goes counts.
func (k *key) sealGroup(g task.Group) task.Group {
	if g.Callback.Payload == nil {
		g.Callback.Payload = []byte{}
	}
	g.Callback = *k.sealTask(carrier(&g)).Spec.OnSuccess
	return g
}

// openGroup opens the callback in place.
func (r *ring) openGroup(g *task.Group) error {
	t := carrier(g)
	var err error = &undecryptable{reason: "it is not sealed, and this process goes only by what is"}
	if !r.strict || jsonHasSealed(g.Callback.Payload) {
		err = r.openSpec(part{of: g.ID[:], to: destination(t)}, &t.Spec)
	}
	if err != nil {
		return &task.Error{Code: task.CodeUnavailable, Message: "the callback of group " + g.ID.String() + " cannot be read: " + err.Error(), Err: err}
	}
	if g.Callback = *t.Spec.OnSuccess; len(g.Callback.Payload) == 0 {
		g.Callback.Payload = nil
	}
	return nil
}

// opened opens a group that a call has answered with.
func (s *Store) opened(g *task.Group, err error) (*task.Group, error) {
	if err != nil {
		return nil, err
	}
	return g, s.ring.openGroup(g)
}

// PutGroup implements [store.TaskGroups]. What is sealed twice differs, so that the callback of a group
// that is there is compared here.
func (s *Store) PutGroup(ctx context.Context, group task.Group, audit ...store.Audit) (*task.Group, error) {
	if err := forgedInsert([]store.Insert{{Task: carrier(&group)}}); err != nil {
		return nil, err
	}
	given := group
	if k := s.ring.current; k != nil {
		if len(group.Callback.Payload) > task.MaxPayload {
			return nil, check.Group(&group)
		}
		group = k.sealGroup(group)
	}
	put, err := s.opened(s.Backend.PutGroup(ctx, group, audit...))
	if !isCode(err, task.CodeIDConflict) {
		return put, err
	}
	existing, failed := s.Group(ctx, group.ID)
	if failed != nil {
		return nil, failed
	}
	return existing, check.SameGroup(existing, &given)
}

// CloseGroup implements [store.TaskGroups].
func (s *Store) CloseGroup(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Group, error) {
	return s.toShow(s.Backend.CloseGroup(ctx, id, audit...))
}

// FinishGroup implements [store.TaskGroups].
func (s *Store) FinishGroup(ctx context.Context, id task.ID, counted task.GroupCounts, callback store.Insert) (*task.Group, error) {
	batch, err := s.newBatch([]store.Insert{callback})
	if err != nil {
		return nil, err
	}
	for {
		group, err := s.Backend.FinishGroup(ctx, id, counted, batch.sealed[0])
		if err != nil && s.another(ctx, batch, err) {
			continue
		}
		return s.toShow(group, err)
	}
}

// toShow opens what can be opened: what was done to the group counts, not who can read it.
func (s *Store) toShow(g *task.Group, err error) (*task.Group, error) {
	if err == nil {
		_ = s.ring.openGroup(g)
	}
	return g, err
}

// Group implements [store.TaskGroups]. One that does not open is an error: its callback must
// not be made of what is sealed.
func (s *Store) Group(ctx context.Context, id task.ID) (*task.Group, error) {
	return s.opened(s.Backend.Group(ctx, id))
}

// Groups implements [store.TaskGroups]. What does not open is shown sealed.
func (s *Store) Groups(ctx context.Context, state task.GroupState, before task.ID, limit int) ([]task.Group, error) {
	groups, err := s.Backend.Groups(ctx, state, before, limit)
	for i := range groups {
		_ = s.ring.openGroup(&groups[i])
	}
	return groups, err
}
