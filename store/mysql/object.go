package mysql

import (
	"context"
	"database/sql"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const (
	objectColumns = `kind, name, body, managed, actor, version, updated_at`

	selectObject  = `SELECT ` + objectColumns + ` FROM outlast_object WHERE kind = ? AND name = ?`
	lockObject    = selectObject + ` FOR UPDATE`
	selectObjects = `SELECT ` + objectColumns + ` FROM outlast_object ORDER BY kind, name`
	selectKind    = `SELECT ` + objectColumns + ` FROM outlast_object WHERE kind = ? ORDER BY kind, name`

	selectVersions = `SELECT ` + objectColumns + ` FROM outlast_object_version WHERE kind = ? AND name = ? ORDER BY kind DESC, name DESC, version DESC LIMIT ?`
	lastVersion    = `SELECT COALESCE(MAX(version), 0) FROM outlast_object_version WHERE kind = ? AND name = ?`

	// insertObject fails if another one was quicker; updateObject replaces what
	// lockObject has read.
	insertObject = `INSERT INTO outlast_object (` + objectColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`
	updateObject = `UPDATE outlast_object SET body = ?, managed = ?, actor = ?, version = ?, updated_at = ? WHERE kind = ? AND name = ?`
	deleteObject = `DELETE FROM outlast_object WHERE kind = ? AND name = ?`

	insertVersion = `INSERT INTO outlast_object_version (` + objectColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`

	// oldestVersion is the newest that is not to be kept any more: dropVersions
	// deletes it and those before it.
	oldestVersion = `SELECT version FROM outlast_object_version WHERE kind = ? AND name = ? ORDER BY kind DESC, name DESC, version DESC LIMIT 1 OFFSET ?`
	dropVersions  = `DELETE FROM outlast_object_version WHERE kind = ? AND name = ? AND version <= ?`

	// beginChange takes the id of a change, or fails if it is taken, after it
	// has waited for a change in flight that has it.
	beginChange   = `INSERT INTO outlast_change (id, at, versions) VALUES (?, ?, '')`
	selectChange  = `SELECT at, versions FROM outlast_change WHERE id = ?`
	endChange     = `UPDATE outlast_change SET versions = ? WHERE id = ?`
	oldChanges    = `SELECT id FROM outlast_change WHERE at <= ? LIMIT 1000`
	forgetChanges = `DELETE FROM outlast_change WHERE id IN (@ids)`

	selectConfig = `SELECT value FROM outlast_counter WHERE name = 'config'`
	raiseConfig  = `UPDATE outlast_counter SET value = value + 1 WHERE name = 'config'`

	auditColumns = `id, at, actor, address, action, subject, body_before, body_after, request`
	insertAudit  = `INSERT INTO outlast_audit (` + auditColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// selectAudit reads a page. Inputs: the ids from and before which, then
	// twice each actor, action, the head of actions, subject, the head of
	// subjects, then the limit.
	selectAudit = `SELECT ` + auditColumns + ` FROM outlast_audit WHERE id >= ? AND id < ?
 AND (? = '' OR actor = ?) AND (? = '' OR action = ?) AND LEFT(action, LENGTH(?)) = ?
 AND (? = '' OR subject = ?) AND LEFT(subject, LENGTH(?)) = ? ORDER BY id DESC LIMIT ?`

	trimAudit = `DELETE FROM outlast_audit WHERE id < ? ORDER BY id LIMIT ?`
)

func scanObject(rows *sql.Rows) (o store.Object, err error) {
	var updatedAt number
	err = rows.Scan(&o.Kind, &o.Name, &o.Body, &o.Managed, &o.Actor, &o.Version, &updatedAt)
	o.UpdatedAt = updatedAt.time()
	return o, err
}

func (s *session) objects(query string, args ...any) (list []store.Object, err error) {
	err = s.each(query, func(rows *sql.Rows) error {
		o, err := scanObject(rows)
		list = append(list, o)
		return err
	}, args...)
	return list, err
}

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	var items []*store.Insert
	for _, batch := range change.Enqueue {
		for i := range batch.Items {
			items = append(items, &batch.Items[i])
		}
	}
	var changed *store.Changed
	seq, err := s.reserve(ctx, keyed(items))
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, "change", func(tx *tx) (err error) {
		changed, err = objects.Apply(&tables{tx, seq}, &change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// tables implements [objects.Tables].
type tables struct {
	*tx
	seq int64 // before that of the first keyed task
}

func (t *tables) Now() store.Time { return t.time() }

func (t *tables) Begin(id string, forget store.Time) (known bool, at store.Time, versions string, err error) {
	if err := t.forget(micro(forget)); err != nil {
		return false, at, "", err
	}
	if _, err := t.exec(beginChange, id, t.now); numbered(err) != duplicateKey {
		return false, at, "", err
	}
	var when number
	known, err = t.first(selectChange, []any{&when, &versions}, id)
	if err == nil && !known {
		err = errAgain // it was forgotten meanwhile
	}
	return known, when.time(), versions, err
}

// forget deletes the ids of old changes, one by one: a range would lock more.
func (t *tables) forget(until any) error {
	var old []any
	err := t.each(oldChanges, func(rows *sql.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		old = append(old, id)
		return err
	}, until)
	if err != nil || len(old) == 0 {
		return err
	}
	_, err = t.exec(list(forgetChanges, "@ids", len(old)), old...)
	return err
}

func (t *tables) End(id, versions string) error {
	_, err := t.exec(endChange, versions, id)
	return err
}

func (t *tables) Lock(kind, name string) (o store.Object, found bool, err error) {
	list, err := t.objects(lockObject, kind, name)
	if err != nil || len(list) == 0 {
		return o, false, err
	}
	return list[0], true, nil
}

func (t *tables) LastVersion(kind, name string) (version int64, err error) {
	_, err = t.first(lastVersion, []any{&version}, kind, name)
	return version, err
}

func (t *tables) Put(o store.Object, fresh bool) (bool, error) {
	values := []any{o.Kind, o.Name, o.Body, o.Managed, o.Actor, o.Version, micro(o.UpdatedAt)}
	if !fresh {
		_, err := t.exec(updateObject, append(slices.Clone(values[2:]), o.Kind, o.Name)...)
		return true, err
	}
	_, err := t.exec(insertObject, values...)
	if numbered(err) == duplicateKey {
		return false, nil
	}
	return true, err
}

func (t *tables) Delete(kind, name string) error {
	_, err := t.exec(deleteObject, kind, name)
	return err
}

func (t *tables) Keep(o store.Object, most int) error {
	_, err := t.exec(insertVersion, o.Kind, o.Name, o.Body, o.Managed, o.Actor, o.Version, micro(o.UpdatedAt))
	if err != nil {
		return err
	}
	var oldest int64
	found, err := t.first(oldestVersion, []any{&oldest}, o.Kind, o.Name, most)
	if err == nil && found {
		_, err = t.exec(dropVersions, o.Kind, o.Name, oldest)
	}
	return err
}

func (t *tables) Raise() error {
	_, err := t.exec(raiseConfig)
	return err
}

func (t *tables) Audit(rows []objects.Row) error {
	for _, row := range rows {
		_, err := t.exec(insertAudit, row.Key, micro(row.At), row.Actor, row.Address, row.Action, row.Subject, row.Before, row.After, row.Request)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tables) Enqueue(items []store.Insert) ([]store.Inserted, error) {
	wanted := make([]*store.Insert, len(items))
	for i := range items {
		wanted[i] = &items[i]
	}
	rows, err := rowsOf(wanted, t.now, t.seq)
	if err != nil {
		return nil, task.Invalid("task", "it cannot be stored: "+err.Error(), "")
	}
	if err := t.insertAll(rows); err != nil {
		return nil, err
	}
	inserted := make([]store.Inserted, len(rows))
	for i, row := range rows {
		inserted[i] = row.inserted()
	}
	return inserted, nil
}

// Objects implements [store.Config].
func (s *Store) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	if kind == "" {
		return s.objects(ctx, selectObjects)
	}
	return s.objects(ctx, selectKind, kind)
}

// ObjectVersions implements [store.Config].
func (s *Store) ObjectVersions(ctx context.Context, kind, name string, limit int) ([]store.Object, error) {
	return s.objects(ctx, selectVersions, kind, name, max(0, limit))
}

func (s *Store) objects(ctx context.Context, query string, args ...any) (list []store.Object, err error) {
	err = s.read(ctx, func(c *session) (err error) {
		list, err = c.objects(query, args...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Object implements [store.Config].
func (s *Store) Object(ctx context.Context, kind, name string) (*store.Object, error) {
	found, err := s.objects(ctx, selectObject, kind, name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, task.NotFound(kind, name)
	}
	return &found[0], nil
}

// Audit implements [store.Config].
func (s *Store) Audit(ctx context.Context, filter store.AuditFilter, page store.Page) ([]store.Audit, string, error) {
	asked, err := objects.Asked(filter, page)
	if err != nil {
		return nil, "", err
	}
	var found []objects.Row
	err = s.read(ctx, func(c *session) error {
		found = nil
		return c.each(selectAudit, func(rows *sql.Rows) error {
			row, err := scanAudit(rows)
			found = append(found, row)
			return err
		}, asked.From, asked.Before, asked.Actor, asked.Actor, asked.Action, asked.Action, asked.ActionHead, asked.ActionHead,
			asked.Subject, asked.Subject, asked.SubjectHead, asked.SubjectHead, asked.Limit+1)
	})
	if err != nil {
		return nil, "", err
	}
	list, next := asked.Answer(found)
	return list, next, nil
}

func scanAudit(rows *sql.Rows) (row objects.Row, err error) {
	var at number
	err = rows.Scan((*identity)(&row.Key), &at, &row.Actor, &row.Address, &row.Action, &row.Subject, &row.Before, &row.After, &row.Request)
	row.At = at.time()
	return row, err
}

// TrimAudit implements [store.Admin].
func (s *Store) TrimAudit(ctx context.Context, before store.Time, limit int) (deleted int, err error) {
	err = s.write(ctx, "trim", func(tx *tx) error {
		n, err := tx.changed(trimAudit, objects.FirstKey(before), max(0, limit))
		deleted = int(n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return deleted, nil
}
