package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	tables := &tables{data: s.data, now: now}
	changed, err := objects.Apply(tables, &change)
	if err != nil {
		return nil, err
	}
	s.commit(tables.lanes...)
	for i := range changed.Put {
		changed.Put[i] = cloneObject(changed.Put[i])
	}
	return changed, nil
}

// tables implements [objects.Tables]. What may refuse a change comes before
// anything is written.
type tables struct {
	data  *data
	now   time.Time
	lanes []uint16 // of new tasks
}

func (t *tables) Now() time.Time { return t.now }

func (t *tables) Begin(id string, forget time.Time) (known bool, at time.Time, versions string, err error) {
	applied, known := t.data.config.changes[id]
	if known = known && applied.at.After(forget); known {
		return true, applied.at, applied.versions, nil
	}
	return false, time.Time{}, "", nil
}

func (t *tables) End(id, versions string) error {
	for old, applied := range t.data.config.changes {
		if !applied.at.After(t.now.Add(-store.ChangeMemory)) {
			delete(t.data.config.changes, old)
		}
	}
	t.data.config.changes[id] = appliedChange{t.now, versions}
	return nil
}

func (t *tables) Lock(kind, name string) (store.Object, bool, error) {
	o, found := t.data.config.objects[objectKey{kind, name}]
	return o, found, nil
}

func (t *tables) LastVersion(kind, name string) (int64, error) {
	kept := t.data.config.versions[objectKey{kind, name}]
	if len(kept) == 0 {
		return 0, nil
	}
	return kept[len(kept)-1].Version, nil
}

func (t *tables) Put(o store.Object, _ bool) (bool, error) {
	t.data.config.objects[objectKey{o.Kind, o.Name}] = cloneObject(o)
	return true, nil
}

func (t *tables) Delete(kind, name string) error {
	delete(t.data.config.objects, objectKey{kind, name})
	return nil
}

func (t *tables) Keep(o store.Object, most int) error {
	key := objectKey{o.Kind, o.Name}
	kept := append(t.data.config.versions[key], cloneObject(o))
	t.data.config.versions[key] = kept[max(0, len(kept)-most):]
	return nil
}

func (t *tables) Raise() error {
	t.data.config.raised++
	return nil
}

func (t *tables) Audit(rows []objects.Row) error {
	for _, row := range rows {
		row.Audit = cloneAudit(row.Audit)
		at, _ := slices.BinarySearchFunc(t.data.config.audit, row, func(a, b objects.Row) int { return a.Key.Compare(b.Key) })
		t.data.config.audit = slices.Insert(t.data.config.audit, at, row)
	}
	return nil
}

// log writes rows of the audit log.
func (d *data) log(rows []store.Audit, now time.Time) error {
	return objects.Log(&tables{data: d, now: now}, rows, now)
}

func (t *tables) Enqueue(items []store.Insert) ([]store.Inserted, error) {
	p, err := t.data.plan(items, t.now)
	if err != nil {
		return nil, err
	}
	for _, insert := range p.insert {
		if insert != nil {
			t.lanes = append(t.lanes, insert.ID.Lane())
		}
	}
	return p.apply(), nil
}

// Objects implements [store.Config].
func (s *Store) Objects(ctx context.Context, kind string) (list []store.Object, err error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	for key, o := range s.data.config.objects {
		if kind == "" || key.kind == kind {
			list = append(list, cloneObject(o))
		}
	}
	slices.SortFunc(list, func(a, b store.Object) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return list, nil
}

// Object implements [store.Config].
func (s *Store) Object(ctx context.Context, kind, name string) (*store.Object, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	o, found := s.data.config.objects[objectKey{kind, name}]
	if !found {
		return nil, task.NotFound(kind, name)
	}
	o = cloneObject(o)
	return &o, nil
}

// ObjectVersions implements [store.Config].
func (s *Store) ObjectVersions(ctx context.Context, kind, name string, limit int) (list []store.Object, err error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	for _, o := range slices.Backward(s.data.config.versions[objectKey{kind, name}]) {
		if len(list) >= limit {
			break
		}
		list = append(list, cloneObject(o))
	}
	return list, nil
}

// Audit implements [store.Config].
func (s *Store) Audit(ctx context.Context, filter store.AuditFilter, page store.Page) ([]store.Audit, string, error) {
	asked, err := objects.Asked(filter, page)
	if err != nil {
		return nil, "", err
	}
	if _, err := s.begin(ctx); err != nil {
		return nil, "", err
	}
	defer s.data.mu.Unlock()
	var rows []objects.Row
	for _, row := range slices.Backward(s.data.config.audit) {
		if row.Key.Compare(asked.From) < 0 || len(rows) > asked.Limit {
			break
		}
		if row.Key.Compare(asked.Before) < 0 && asked.Matches(&row.Audit) {
			row.Audit = cloneAudit(row.Audit)
			rows = append(rows, row)
		}
	}
	list, next := asked.Answer(rows)
	return list, next, nil
}

// TrimAudit implements [store.Admin].
func (s *Store) TrimAudit(ctx context.Context, before store.Time, limit int) (int, error) {
	if _, err := s.begin(ctx); err != nil {
		return 0, err
	}
	defer s.data.mu.Unlock()
	rows := s.data.config.audit
	old, _ := slices.BinarySearchFunc(rows, objects.FirstKey(before), func(row objects.Row, key task.ID) int { return row.Key.Compare(key) })
	old = max(0, min(old, limit))
	s.data.config.audit = slices.Delete(rows, 0, old)
	return old, nil
}

func cloneObject(o store.Object) store.Object {
	o.Body = bytes.Clone(o.Body)
	return o
}

func cloneAudit(row store.Audit) store.Audit {
	row.Before, row.After = bytes.Clone(row.Before), bytes.Clone(row.After)
	return row
}
