package sealed

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// batch is what a caller wants inserted, and what goes to the store for it.
// Nothing of the caller's is changed, since callers repeat calls.
type batch struct {
	plain  []store.Insert
	sealed []store.Insert // the same slice without a key
	// What conflicts may be due to is put right step by step; see another.
	adopted bool
	older   []*key // keys whose hashes of the content were not tried; nil is no key
}

func (s *Store) newBatch(items []store.Insert) (*batch, error) {
	k := s.ring.current
	if k == nil {
		return &batch{plain: items, sealed: items, adopted: true}, forgedInsert(items)
	}
	sealed, err := s.sealInserts(items, k)
	if err != nil {
		return nil, err
	}
	b := &batch{plain: items, sealed: sealed, older: []*key{nil}}
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(s.ring.all))) {
		if id != k.id {
			b.older = append(b.older, s.ring.all[id])
		}
	}
	return b, nil
}

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
		if t == nil {
			continue
		}
		if isSealed(t.Payload) || ofJSON(t.Payload) != nil {
			return forged("payload")
		}
		if forgedRequest(t.Spec.HTTP) {
			return forged("target.headers")
		}
		for _, follow := range followUps(&t.Spec) {
			if f := *follow.at; f != nil && (ofJSON(f.Payload) != nil || forgedRequest(f.HTTP)) {
				return forged(follow.name)
			}
		}
	}
	return nil
}

func forgedRequest(request *task.Request) bool {
	return request != nil && len(request.Headers) == 1 && ofText(request.Headers[""]) != nil
}

func forged(path string) error {
	return task.Invalid(path, "it is encrypted already, for another task", "hand in what it was before, read where the keys are")
}

// Enqueue implements [store.Store].
func (s *Store) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	if s.ring.current == nil && !anyForged(batches) {
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

func anyForged(batches []store.Batch) bool {
	for i := range batches {
		if forgedInsert(batches[i].Items) != nil {
			return true
		}
	}
	return false
}

// another reports whether a batch that was refused as a conflict is to be sent
// once more, changed. A task that was accepted under another key, or under none,
// is the same for whoever compares what it says, but not for the store.
func (s *Store) another(ctx context.Context, b *batch, err error) bool {
	switch {
	case isCode(err, task.CodeIDConflict) && !b.adopted:
		b.adopted = true
		return s.adopt(ctx, b)
	case isCode(err, task.CodeDedupeConflict) && len(b.older) > 0:
		last := len(b.older) - 1
		for i := range b.sealed {
			b.sealed[i].Dedupe = withContent(b.plain[i].Dedupe, b.older[last])
		}
		b.older = b.older[:last]
		return true
	}
	return false
}

// adopt gives the tasks of a batch that are there already the payload that they
// have there, if that says the same; false if there is none such.
func (s *Store) adopt(ctx context.Context, b *batch) (changed bool) {
	for i := range b.sealed {
		t := b.plain[i].Task
		there, err := s.Backend.Get(ctx, t.ID)
		if err != nil || slices.Equal(there.Payload, b.sealed[i].Task.Payload) {
			continue
		}
		plain, err := s.ring.open(part{t.ID[:], "payload"}, there.Payload)
		if err == nil && slices.Equal(plain, t.Payload) {
			b.sealed[i].Task.Payload, changed = there.Payload, true
		}
	}
	return changed
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
		s.ring.openToShow(items[i].Existing)
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
	if k := s.ring.current; k != nil {
		change.Put = k.sealObjects(change.Put)
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
		s.ring.openObjects(changed.Put)
		return changed, nil
	}
}
