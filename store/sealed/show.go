package sealed

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
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

// Find implements [store.Query]. The database cannot look into messages that are
// sealed: where there is a key, a search opens the tasks that match the rest of the
// filter, a bounded number of them in one call.
func (s *Store) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	if filter.Search != "" && s.ring.current != nil {
		return s.search(ctx, filter, page)
	}
	tasks, next, err := s.Backend.Find(ctx, filter, page)
	s.all(tasks)
	return tasks, next, err
}

// How many tasks one search opens, and how many at a time at least, however few it is to
// find.
const (
	mostOpened  = 2000
	leastOpened = 100
)

func (s *Store) search(ctx context.Context, filter store.Filter, page store.Page) (found []*task.Task, next string, err error) {
	search := &store.Filter{Search: filter.Search}
	filter.Search = ""
	if page.Limit == 0 {
		page.Limit = pages.Default
	}
	for read, bytes := 0, 0; read < mostOpened && len(found) < page.Limit && bytes < pages.MostBytes; {
		tasks, next, err := s.Backend.Find(ctx, filter, store.Page{Limit: max(page.Limit, leastOpened), Cursor: page.Cursor, Bare: page.Bare})
		if err != nil {
			return nil, "", err
		}
		s.all(tasks)
		for n, t := range tasks {
			if !search.Matches(t) {
				continue
			}
			found, bytes = append(found, t), bytes+pages.Bytes(t)
			if (len(found) == page.Limit || bytes >= pages.MostBytes) && n < len(tasks)-1 { // where the page ends, only the database can tell
				_, next, err := s.Backend.Find(ctx, filter, store.Page{Limit: n + 1, Cursor: page.Cursor, Bare: true})
				return found, next, err
			}
		}
		if page.Cursor = next; next == "" || len(tasks) == 0 {
			break
		}
		read += len(tasks)
	}
	return found, page.Cursor, nil
}

// sealedSearch refuses what the database would have to look into sealed messages for.
func (s *Store) sealedSearch(filter store.Filter) error {
	if filter.Search == "" || s.ring.current == nil {
		return nil
	}
	return task.Invalid("q", "messages are encrypted, so that tasks cannot be counted or chosen by their text", "choose them by type, category, fingerprint or ids")
}

// Count implements [store.Query].
func (s *Store) Count(ctx context.Context, filter store.Filter, limit int) (int, error) {
	if err := s.sealedSearch(filter); err != nil {
		return 0, err
	}
	return s.Backend.Count(ctx, filter, limit)
}

// Letters implements [store.Query].
func (s *Store) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) ([]store.Letter, error) {
	if err := s.sealedSearch(filter); err != nil {
		return nil, err
	}
	return s.Backend.Letters(ctx, filter, after, limit)
}

func (s *Store) all(tasks []*task.Task) {
	for _, t := range tasks {
		s.ring.openToShow(t)
	}
}

// DeadGroups implements [store.Query].
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error) {
	if err := s.sealedSearch(filter); err != nil {
		return nil, err
	}
	groups, err := s.Backend.DeadGroups(ctx, filter, limit)
	for i := range groups {
		groups[i].Message = s.ring.openText(part{of: groups[i].Example[:], name: "error"}, groups[i].Message)
	}
	return groups, err
}

// DeadTrend implements [store.Query].
func (s *Store) DeadTrend(ctx context.Context, filter store.Filter, since store.Time) ([]store.DeadPart, error) {
	if err := s.sealedSearch(filter); err != nil {
		return nil, err
	}
	return s.Backend.DeadTrend(ctx, filter, since)
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
	if err := s.sealedSearch(filter); err != nil {
		return nil, err
	}
	letters, err := s.Backend.Purge(ctx, filter, limit, audit...)
	s.all(letters)
	return letters, err
}

// Redrive implements [store.Admin]. A new payload is sealed for each task by
// itself, so that the letters then go back in a transaction each.
func (s *Store) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	k, payload := s.ring.current, options.Payload
	if store.IsSealed(payload) || ofJSON(payload) != nil {
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
		letter, err := s.Backend.Get(ctx, id)
		if isCode(err, task.CodeNotFound) {
			missing = append(missing, id)
			continue
		}
		if err != nil {
			return done, missing, err
		}
		options.Payload = s.ring.edited(letter, payload)
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

// edited is the payload of a letter that is to have another: sealed, or that which it has
// where that does not open, so that nothing goes where somebody may have pointed the
// letter. Then the task waits.
func (r *ring) edited(letter *task.Task, payload []byte) []byte {
	opened := *letter
	if err := r.openToRun(&opened); err != nil {
		return letter.Payload
	}
	return r.current.seal(part{letter.ID[:], "payload", destination(letter)}, payload)
}

// PutOperation implements [store.Config].
func (s *Store) PutOperation(ctx context.Context, operation store.Operation, audit ...store.Audit) (*store.Operation, error) {
	s.sealRequest(&operation)
	return s.operation(s.Backend.PutOperation(ctx, operation, audit...))
}

func (s *Store) sealRequest(operation *store.Operation) {
	if k := s.ring.current; k != nil && len(operation.Request) > 0 && !store.IsSealed(operation.Request) {
		operation.Request = k.seal(part{of: []byte(operation.ID), name: "request"}, operation.Request)
	}
}

// Steer implements [store.Admin]. What it answers of tasks is nothing that is sealed.
func (s *Store) Steer(ctx context.Context, steering store.Steering) ([]store.Steered, *store.Operation, error) {
	if note := steering.Note; note != nil {
		steering.Note = func(operation *store.Operation, steered []store.Steered) error {
			err := note(operation, steered)
			s.sealRequest(operation)
			return err
		}
	}
	steered, operation, err := s.Backend.Steer(ctx, steering)
	operation, err = s.operation(operation, err)
	return steered, operation, err
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
// be put again as it is. What is to be sealed and is not looks as if it were, so that
// nobody does it.
func (s *Store) request(operation *store.Operation) []byte {
	plain, err := s.openRequest(operation)
	switch {
	case err == nil:
		return plain
	case store.IsSealed(operation.Request):
		return operation.Request
	}
	return slices.Concat([]byte(store.SealMark), []byte{0}, operation.Request)
}

func (s *Store) openRequest(operation *store.Operation) ([]byte, error) {
	goesOn := operation.State == store.OperationRunning || operation.State == store.OperationPaused
	if s.ring.current != nil && goesOn && len(operation.Request) > 0 && !store.IsSealed(operation.Request) {
		return nil, &undecryptable{reason: "what was asked for is not sealed, and this process does only what is"}
	}
	return s.ring.open(part{of: []byte(operation.ID), name: "request"}, operation.Request)
}

// Operations implements [store.Config].
func (s *Store) Operations(ctx context.Context, state store.OperationState, limit int) ([]store.Operation, error) {
	operations, err := s.Backend.Operations(ctx, state, limit)
	for i := range operations {
		operations[i].Request = s.request(&operations[i])
	}
	return operations, err
}
