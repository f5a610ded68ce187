package sealed

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (*task.Task, error) {
	return s.one(s.Backend.Get(ctx, id))
}

func (s *Store) one(t *task.Task, err error) (*task.Task, error) {
	s.ring.openToShow(t)
	return t, err
}

// Attempts implements [store.Query].
func (s *Store) Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error) {
	attempts, err := s.Backend.Attempts(ctx, id)
	for i := range attempts {
		attempts[i].Failure = s.ring.openFailure(id[:], attempts[i].Failure)
	}
	return attempts, err
}

// Find implements [store.Query].
func (s *Store) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	tasks, next, err := s.Backend.Find(ctx, filter, page)
	s.all(tasks)
	return tasks, next, err
}

func (s *Store) all(tasks []*task.Task) {
	for _, t := range tasks {
		s.ring.openToShow(t)
	}
}

// DeadGroups implements [store.Query].
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error) {
	groups, err := s.Backend.DeadGroups(ctx, filter, limit)
	for i := range groups {
		groups[i].Message = s.ring.openText(part{groups[i].Example[:], "error"}, groups[i].Message)
	}
	return groups, err
}

// Cancel implements [store.Admin].
func (s *Store) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	return s.one(s.Backend.Cancel(ctx, id, audit...))
}

// Reschedule implements [store.Admin].
func (s *Store) Reschedule(ctx context.Context, id task.ID, at store.Time, audit ...store.Audit) (*task.Task, error) {
	return s.one(s.Backend.Reschedule(ctx, id, at, audit...))
}

// Purge implements [store.Admin].
func (s *Store) Purge(ctx context.Context, filter store.Filter, limit int, audit ...store.Audit) ([]*task.Task, error) {
	letters, err := s.Backend.Purge(ctx, filter, limit, audit...)
	s.all(letters)
	return letters, err
}

// Redrive implements [store.Admin]. A new payload is sealed for each task by
// itself, so that the letters then go back in a transaction each.
func (s *Store) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done, missing []task.ID, err error) {
	k, payload := s.ring.current, options.Payload
	if isSealed(payload) || ofJSON(payload) != nil {
		return nil, nil, forged("payload")
	}
	if k == nil || payload == nil {
		return s.Backend.Redrive(ctx, ids, options)
	}
	if len(payload) > task.MaxPayload {
		return nil, nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large"}
	}
	times := options.RunAt
	for i, id := range ids {
		options.Payload = k.seal(part{id[:], "payload"}, payload)
		if options.RunAt = nil; i < len(times) {
			options.RunAt = times[i : i+1]
		}
		sent, gone, err := s.Backend.Redrive(ctx, ids[i:i+1], options)
		done, missing = append(done, sent...), append(missing, gone...)
		if len(sent) > 0 {
			options.Audit = nil // written once
		}
		if err != nil {
			return done, missing, err
		}
	}
	return done, missing, nil
}

// PutOperation implements [store.Config].
func (s *Store) PutOperation(ctx context.Context, operation store.Operation, audit ...store.Audit) (*store.Operation, error) {
	if k := s.ring.current; k != nil && len(operation.Request) > 0 && !isSealed(operation.Request) {
		operation.Request = k.seal(part{[]byte(operation.ID), "request"}, operation.Request)
	}
	return s.operation(s.Backend.PutOperation(ctx, operation, audit...))
}

// Operation implements [store.Config].
func (s *Store) Operation(ctx context.Context, id string) (*store.Operation, error) {
	return s.operation(s.Backend.Operation(ctx, id))
}

func (s *Store) operation(operation *store.Operation, err error) (*store.Operation, error) {
	if operation != nil {
		operation.Request = s.request(operation)
	}
	return operation, err
}

// request is what was asked for; as it is where it does not open, so that it can
// be put again as it is.
func (s *Store) request(operation *store.Operation) []byte {
	plain, err := s.ring.open(part{[]byte(operation.ID), "request"}, operation.Request)
	if err != nil {
		return operation.Request
	}
	return plain
}

// Operations implements [store.Config].
func (s *Store) Operations(ctx context.Context, limit int) ([]store.Operation, error) {
	operations, err := s.Backend.Operations(ctx, limit)
	for i := range operations {
		operations[i].Request = s.request(&operations[i])
	}
	return operations, err
}
