package sealed

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (s *Store) sealInserts(items []store.Insert, k *key) ([]store.Insert, error) {
	if len(items) == 0 {
		return items, nil
	}
	if err := forgedInsert(items); err != nil {
		return nil, err
	}
	sealed := make([]store.Insert, len(items))
	for i, item := range items {
		if item.Task != nil {
			if len(item.Task.Payload) > task.MaxPayload {
				return nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large",
					Fields: []task.Field{{Path: "payload", Message: "too large"}}}
			}
			item.Task = k.sealTask(item.Task)
		}
		item.Dedupe = withContent(item.Dedupe, k)
		sealed[i] = item
	}
	return sealed, nil
}

func withContent(dedupe *store.Dedupe, k *key) *store.Dedupe {
	if dedupe == nil || k == nil {
		return dedupe
	}
	keyed := *dedupe
	keyed.Content = k.contentOf(dedupe.Content)
	return &keyed
}

// forgedInsert refuses what looks sealed before it was: it could only be taken
// for something that it is not.
func forgedInsert(items []store.Insert) error {
	for i := range items {
		t := items[i].Task
		if t == nil || !hasSealed(t) && !jsonHasSealed(t.Payload) {
			continue
		}
		if store.IsSealed(t.Payload) || ofJSON(t.Payload) != nil {
			return forged("payload")
		}
		if requestHasSealed(t.Spec.HTTP) {
			return forged("target.headers")
		}
		for _, follow := range followUps(&t.Spec) {
			if f := *follow.at; f != nil && (jsonHasSealed(f.Payload) || requestHasSealed(f.HTTP)) {
				return forged(follow.name)
			}
		}
	}
	return nil
}

func forged(path string) error {
	return task.Invalid(path, "it is encrypted already, for another task", "hand in what it was before, read where the keys are")
}

// Enqueue implements [store.Store].
func (s *Store) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	if len(s.ring.all) == 0 && !slices.ContainsFunc(batches, func(b store.Batch) bool { return forgedInsert(b.Items) != nil }) {
		return s.shown(s.Backend.Enqueue(ctx, batches))
	}
	results := make([]store.BatchResult, len(batches))
	made := make([]*batch, len(batches))
	var next []int // batches to send
	for i := range batches {
		if made[i], results[i].Err = s.newBatch(batches[i].Items); results[i].Err == nil {
			next = append(next, i)
		}
	}
	for len(next) > 0 {
		some := make([]store.Batch, len(next))
		for n, i := range next {
			some[n].Items = made[i].sealed
		}
		answers, err := s.shown(s.Backend.Enqueue(ctx, some))
		if err != nil {
			return nil, err
		}
		var again []int
		for n, i := range next {
			if results[i] = answers[n]; s.another(ctx, made[i], results[i].Err) {
				again = append(again, i)
			}
		}
		next = again
	}
	return results, nil
}

func isCode(err error, code task.Code) bool { return errors.Is(err, &task.Error{Code: code}) }

func isConflict(err error) bool {
	return isCode(err, task.CodeIDConflict) || isCode(err, task.CodeDedupeConflict)
}

// shown opens the tasks that were there already.
func (s *Store) shown(results []store.BatchResult, err error) ([]store.BatchResult, error) {
	for i := range results {
		s.showInserted(results[i].Items)
	}
	return results, err
}

func (s *Store) showInserted(items []store.Inserted) {
	for i := range items {
		if existing := items[i].Existing; existing != nil {
			s.ring.openToShow(existing)
		}
	}
}

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	made := make([]*batch, len(change.Enqueue))
	sealed := make([]store.Batch, len(change.Enqueue))
	for i := range change.Enqueue {
		var err error
		if made[i], err = s.newBatch(change.Enqueue[i].Items); err != nil {
			return nil, err
		}
	}
	given := change.Put
	if k := s.ring.current; k != nil {
		change.Put = k.sealObjects(change.Put)
	}
	if k := s.ring.signer; k != nil {
		change.Sign = k.sign
	}
	for {
		for i := range made {
			sealed[i].Items = made[i].sealed
		}
		if change.Enqueue = sealed; len(made) == 0 {
			change.Enqueue = nil
		}
		changed, err := s.Backend.Change(ctx, change)
		again := false
		for i := range made {
			again = s.another(ctx, made[i], err) || again
		}
		if again {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, _ = s.shown(changed.Results, nil)
		for i := range changed.Put {
			changed.Put[i].Body = bytes.Clone(given[i].Body)
		}
		if s.ring.current != nil && !changed.Repeated {
			s.seen.add(changed.Put)
		}
		return changed, nil
	}
}
