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
//
// A task that was accepted under another key, or under none, is the same for
// whoever compares what it says, but not for the store, which compares bytes. So a
// batch that the store refuses as a conflict is changed and sent once more: what
// is there already is offered as it is there.
type batch struct {
	plain  []store.Insert
	sealed []store.Insert // the same slice where there are no keys
	keyed  []keyed        // by place, of those with a dedupe key; nil until a conflict
	rounds int            // dedupe conflicts so far
}

// keyed is under which key the content of a dedupe key is offered.
type keyed struct {
	by   *key
	left []*key // what else it may have been accepted under
	own  bool   // a conflict was about it; others follow what was right for the last such
}

// mostRounds bounds how often one batch is sent again for its dedupe keys.
const mostRounds = 100

func (s *Store) newBatch(items []store.Insert) (*batch, error) {
	if s.ring.current == nil {
		b := &batch{plain: items, sealed: items}
		if len(s.ring.all) > 0 {
			b.sealed = slices.Clone(items)
		}
		return b, forgedInsert(items)
	}
	sealed, err := s.sealInserts(items, s.ring.current)
	return &batch{plain: items, sealed: sealed}, err
}

// another reports whether a batch that was refused is to be sent once more, changed.
func (s *Store) another(ctx context.Context, b *batch, err error) bool {
	var e *task.Error
	if len(s.ring.all) == 0 || !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case task.CodeIDConflict:
		return s.adopt(ctx, b)
	case task.CodeDedupeConflict:
		b.rounds++
		return b.rounds <= mostRounds && b.rekey(s.ring, s.about(ctx, b, e.Existing))
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
		plain, err := s.ring.open(part{t.ID[:], "payload", destination(there)}, there.Payload)
		if err == nil && slices.Equal(plain, t.Payload) {
			offered := *b.sealed[i].Task
			offered.Payload, changed = there.Payload, true
			b.sealed[i].Task = &offered
		}
	}
	return changed
}

// about are the places of a batch whose dedupe key belongs to the task; all that
// have a dedupe key where that cannot be told, since the task is gone.
func (s *Store) about(ctx context.Context, b *batch, holder task.ID) []int {
	var own, all []int
	held, err := s.Backend.Get(ctx, holder)
	for i := range b.plain {
		item := &b.plain[i]
		if item.Dedupe == nil {
			continue
		}
		all = append(all, i)
		if err == nil && item.Dedupe.Key == held.Spec.DedupeKey && item.Task.Queue == held.Queue {
			own = append(own, i)
		}
	}
	if len(own) > 0 {
		return own
	}
	return all
}

// rekey offers the content of the dedupe keys at the places under the next key, and
// that of all about which there was no conflict yet; false if there is no next.
func (b *batch) rekey(r *ring, places []int) bool {
	if b.keyed == nil {
		b.keyed = make([]keyed, len(b.plain))
		for i := range b.keyed {
			b.keyed[i] = keyed{by: r.current, left: r.others()}
		}
	}
	var next *key
	for _, i := range places {
		of := &b.keyed[i]
		if len(of.left) == 0 {
			return false
		}
		of.by, of.left, of.own = of.left[0], of.left[1:], true
		next = of.by
	}
	if len(places) == 0 {
		return false
	}
	for i := range b.keyed {
		if of := &b.keyed[i]; !of.own && of.by != next {
			// What it was offered under until now is tried again if this is wrong.
			left := slices.DeleteFunc(append(slices.Clone(of.left), of.by), func(k *key) bool { return k == next })
			of.by, of.left = next, left
		}
		b.sealed[i].Dedupe = withContent(b.plain[i].Dedupe, b.keyed[i].by)
	}
	return true
}

// others are the keys under which something may have been accepted, beside the
// current one; nil among them is no key.
func (r *ring) others() (others []*key) {
	for _, id := range slices.Sorted(maps.Keys(r.all)) {
		if r.all[id] != r.current {
			others = append(others, r.all[id])
		}
	}
	if r.current != nil {
		others = append(others, nil)
	}
	return others
}
