// Package objects decides what a change of configuration objects does, for
// all stores; a store does the reading and writing.
package objects

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Tables is one transaction of a store.
type Tables interface {
	// Now is the store's clock, read once per transaction.
	Now() store.Time
	// Begin notes the ID of a change. If it is known already, it returns when
	// that was and the versions that End noted; a change in flight with the
	// same ID is waited for. IDs older than forget are dropped.
	Begin(id string, forget store.Time) (known bool, at store.Time, versions string, err error)
	// End notes the versions of the objects that the change of the ID put.
	End(id, versions string) error
	// Lock reads an object and keeps others from changing it meanwhile. An
	// absent one need not be locked: Put finds out.
	Lock(kind, name string) (o store.Object, found bool, err error)
	// LastVersion is the greatest version that is kept of an object, 0 if none is.
	LastVersion(kind, name string) (int64, error)
	// Put inserts an object (fresh), or replaces one that is locked. It
	// reports false if a fresh one is there, made by another meanwhile.
	Put(o store.Object, fresh bool) (bool, error)
	// Delete deletes an object that is locked.
	Delete(kind, name string) error
	// Keep adds a version of an object and drops all but the newest that are
	// to be kept.
	Keep(o store.Object, most int) error
	// Raise raises Topology.Config.
	Raise() error
	// Audit inserts rows, complete with their ids.
	Audit(rows []Row) error
	// Enqueue inserts tasks; a *task.Error says which was refused.
	Enqueue(items []store.Insert) ([]store.Inserted, error)
}

type key struct{ kind, name string }

func keyOf(o *store.Object) key { return key{o.Kind, o.Name} }

func label(o *store.Object) string { return o.Kind + " " + task.Quote(o.Name) }

// Apply applies a change that [Check] has passed. After an error the store
// undoes all that was done: some of it may have been.
func Apply(tables Tables, change *store.Change) (*store.Changed, error) {
	if change.ID != "" {
		known, at, versions, err := tables.Begin(change.ID, tables.Now().Add(-store.ChangeMemory))
		if err != nil {
			return nil, err
		}
		if known {
			return repeated(change, at, versions)
		}
	}
	steps, err := compare(tables, change)
	if err != nil {
		return nil, err
	}
	changed := &store.Changed{}
	if changed.Results, err = enqueue(tables, change.Enqueue); err != nil {
		return nil, err
	}
	if err := write(tables, change, steps); err != nil {
		return nil, err
	}
	for i := range change.Put {
		at := slices.IndexFunc(steps, func(s *step) bool { return keyOf(&s.next) == keyOf(&change.Put[i]) })
		changed.Put = append(changed.Put, steps[at].next)
	}
	if change.ID != "" {
		return changed, tables.End(change.ID, versionsText(changed.Put))
	}
	return changed, nil
}

// step is what happens to one object.
type step struct {
	next          store.Object // without a body if it is deleted
	fresh, delete bool
}

// compare locks all objects, in one order for all callers, and compares their
// versions, before anything is written.
func compare(tables Tables, change *store.Change) ([]*step, error) {
	var steps []*step
	for _, o := range change.Put {
		steps = append(steps, &step{next: o, fresh: o.Version == 0})
	}
	for _, o := range change.Delete {
		o.Body, o.Managed = nil, ""
		steps = append(steps, &step{next: o, delete: true})
	}
	slices.SortFunc(steps, func(a, b *step) int {
		return cmp.Or(cmp.Compare(a.next.Kind, b.next.Kind), cmp.Compare(a.next.Name, b.next.Name))
	})
	for _, s := range steps {
		old, found, err := tables.Lock(s.next.Kind, s.next.Name)
		if err != nil {
			return nil, err
		}
		if found != !s.fresh || found && old.Version != s.next.Version {
			return nil, conflict(&s.next, &old, found)
		}
		if s.fresh {
			if s.next.Version, err = tables.LastVersion(s.next.Kind, s.next.Name); err != nil {
				return nil, err
			}
		}
		s.next.Version++
		s.next.UpdatedAt = tables.Now()
		if change.Sign != nil && !s.delete {
			s.next.Body = change.Sign(&s.next)
		}
	}
	return steps, nil
}

func conflict(o, old *store.Object, found bool) error {
	is := "is not there"
	switch {
	case found && o.Version == 0:
		is = "is there already"
	case found:
		is = fmt.Sprintf("is at version %d, not %d", old.Version, o.Version)
	}
	return &task.Error{Code: task.CodeConflict, Message: label(o) + " " + is, Hint: "it was changed meanwhile: read it again"}
}

// enqueue inserts the tasks of all batches in one go.
func enqueue(tables Tables, batches []store.Batch) ([]store.BatchResult, error) {
	var items []store.Insert
	for _, batch := range batches {
		items = append(items, batch.Items...)
	}
	results := make([]store.BatchResult, len(batches))
	if len(items) == 0 {
		return results, nil
	}
	inserted, err := tables.Enqueue(items)
	if err != nil {
		return nil, err
	}
	for i, batch := range batches {
		n := len(batch.Items)
		results[i].Items, inserted = inserted[:n:n], inserted[n:]
	}
	return results, nil
}

func write(tables Tables, change *store.Change, steps []*step) error {
	for _, s := range steps {
		if err := writeOne(tables, s, change.Quiet); err != nil {
			return err
		}
	}
	if len(change.Audit) > 0 {
		if err := tables.Audit(rowsOf(change.Audit, tables.Now())); err != nil {
			return err
		}
	}
	if change.Quiet || len(steps) == 0 {
		return nil
	}
	return tables.Raise()
}

func writeOne(tables Tables, s *step, quiet bool) error {
	if s.delete {
		if err := tables.Delete(s.next.Kind, s.next.Name); err != nil {
			return err
		}
	} else {
		done, err := tables.Put(s.next, s.fresh)
		if err != nil {
			return err
		}
		if !done {
			o := s.next
			o.Version = 0
			return conflict(&o, nil, true)
		}
	}
	if quiet {
		return nil
	}
	return tables.Keep(s.next, store.MostVersions)
}

// repeated answers a change that was applied before.
func repeated(change *store.Change, at store.Time, versions string) (*store.Changed, error) {
	changed := &store.Changed{Repeated: true}
	numbers := strings.Fields(versions)
	if len(numbers) != len(change.Put) {
		return nil, &task.Error{Code: task.CodeIDConflict, Message: "the id " + task.Quote(change.ID) + " belongs to another change"}
	}
	for i, o := range change.Put {
		version, err := strconv.ParseInt(numbers[i], 10, 64)
		if err != nil {
			return nil, err
		}
		o.Version, o.UpdatedAt = version, at
		changed.Put = append(changed.Put, o)
	}
	return changed, nil
}

func versionsText(objects []store.Object) string {
	numbers := make([]string, len(objects))
	for i := range objects {
		numbers[i] = strconv.FormatInt(objects[i].Version, 10)
	}
	return strings.Join(numbers, " ")
}
