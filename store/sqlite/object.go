package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const objectColumns = `kind, name, body, managed, actor, version, updated_at`

var (
	selectObject  = &query{sql: `SELECT ` + objectColumns + ` FROM outlast_object WHERE kind = ? AND name = ?`}
	selectObjects = &query{sql: `SELECT ` + objectColumns + ` FROM outlast_object WHERE ?1 = '' OR kind = ?1 ORDER BY kind, name`}

	selectVersions = &query{sql: `SELECT ` + objectColumns + ` FROM outlast_object_version WHERE kind = ? AND name = ? ORDER BY version DESC LIMIT ?`}
	lastVersion    = &query{sql: `SELECT max(version) FROM outlast_object_version WHERE kind = ? AND name = ?`}

	// putObject inserts or replaces what was compared before in the same write
	// transaction.
	putObject    = &query{sql: `INSERT OR REPLACE INTO outlast_object (` + objectColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`}
	deleteObject = &query{sql: `DELETE FROM outlast_object WHERE kind = ? AND name = ?`}

	insertVersion = &query{sql: `INSERT INTO outlast_object_version (` + objectColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`}

	// dropVersions deletes all versions of an object but the newest ?3.
	dropVersions = &query{sql: `DELETE FROM outlast_object_version WHERE kind = ?1 AND name = ?2 AND version <=
 (SELECT version FROM outlast_object_version WHERE kind = ?1 AND name = ?2 ORDER BY version DESC LIMIT 1 OFFSET ?3)`}

	selectChange  = &query{sql: `SELECT at, versions FROM outlast_change WHERE id = ?`}
	insertChange  = &query{sql: `INSERT INTO outlast_change (id, at, versions) VALUES (?, ?, ?)`}
	forgetChanges = &query{sql: `DELETE FROM outlast_change WHERE at <= ?`}

	selectConfig = &query{sql: `SELECT value FROM outlast_counter WHERE name = 'config'`}
	raiseConfig  = &query{sql: `UPDATE outlast_counter SET value = value + 1 WHERE name = 'config'`}

	insertAudit = &query{sql: `INSERT INTO outlast_audit (id, at, actor, address, action, subject, before, after, request) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`}

	// selectAudit reads a page. Inputs: the ids from and before which, actor,
	// action, the head of actions, subject, the head of subjects, limit.
	selectAudit = &query{sql: `SELECT id, at, actor, address, action, subject, before, after, request FROM outlast_audit WHERE id >= ?1 AND id < ?2
 AND (?3 = '' OR actor = ?3) AND (?4 = '' OR action = ?4) AND substr(action, 1, length(?5)) = ?5
 AND (?6 = '' OR subject = ?6) AND substr(subject, 1, length(?7)) = ?7 ORDER BY id DESC LIMIT ?8`}

	// trimAudit deletes the oldest ?2 rows with ids below ?1.
	trimAudit = &query{sql: `DELETE FROM outlast_audit WHERE id IN (SELECT id FROM outlast_audit WHERE id < ?1 ORDER BY id LIMIT ?2)`}
)

func scanObject(r row) store.Object {
	return store.Object{Kind: r.text(0), Name: r.text(1), Body: r.blob(2), Managed: r.text(3), Actor: r.text(4), Version: r.int(5), UpdatedAt: r.time(6)}
}

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	var changed *store.Changed
	err := s.write(ctx, "change", func(tx *tx) error {
		return tx.apart(func() (err error) {
			changed, err = objects.Apply(tables{tx}, &change)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// tables implements [objects.Tables]. A write transaction shuts out every
// other, so that nothing needs to be locked.
type tables struct{ *tx }

func (t tables) Now() store.Time { return t.time() }

func (t tables) Begin(id string, forget store.Time) (known bool, at store.Time, versions string, err error) {
	if _, err := t.exec(forgetChanges, micro(forget)); err != nil {
		return false, at, "", err
	}
	known, err = one(t.conn, selectChange, func(r row) { at, versions = r.time(0), r.text(1) }, id)
	return known, at, versions, err
}

func (t tables) End(id, versions string) error {
	_, err := t.exec(insertChange, id, t.now, versions)
	return err
}

func (t tables) Lock(kind, name string) (o store.Object, found bool, err error) {
	found, err = one(t.conn, selectObject, func(r row) { o = scanObject(r) }, kind, name)
	return o, found, err
}

func (t tables) LastVersion(kind, name string) (version int64, err error) {
	_, err = one(t.conn, lastVersion, func(r row) { version = r.int(0) }, kind, name)
	return version, err
}

func (t tables) Put(o store.Object, _ bool) (bool, error) {
	_, err := t.exec(putObject, o.Kind, o.Name, o.Body, o.Managed, o.Actor, o.Version, micro(o.UpdatedAt))
	return true, err
}

func (t tables) Delete(kind, name string) error {
	_, err := t.exec(deleteObject, kind, name)
	return err
}

func (t tables) Keep(o store.Object, most int) error {
	_, err := t.exec(insertVersion, o.Kind, o.Name, o.Body, o.Managed, o.Actor, o.Version, micro(o.UpdatedAt))
	if err == nil {
		_, err = t.exec(dropVersions, o.Kind, o.Name, most)
	}
	return err
}

func (t tables) Raise() error {
	_, err := t.exec(raiseConfig)
	return err
}

func (t tables) Audit(rows []objects.Row) error {
	for _, row := range rows {
		_, err := t.exec(insertAudit, row.Key, micro(row.At), row.Actor, row.Address, row.Action, row.Subject, row.Before, row.After, row.Request)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t tables) Enqueue(items []store.Insert) ([]store.Inserted, error) {
	return insertAll(t.conn, &arrival{t.now, t.store.standIn()}, items, false)
}

// Objects implements [store.Config].
func (s *Store) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	return s.objects(ctx, selectObjects, kind)
}

// ObjectVersions implements [store.Config].
func (s *Store) ObjectVersions(ctx context.Context, kind, name string, limit int) ([]store.Object, error) {
	return s.objects(ctx, selectVersions, kind, name, max(0, limit))
}

func (s *Store) objects(ctx context.Context, q *query, args ...any) (list []store.Object, err error) {
	err = s.read(ctx, func(c *conn) error {
		list = nil
		return c.each(q, func(r row) error {
			list = append(list, scanObject(r))
			return nil
		}, args...)
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
	var rows []objects.Row
	err = s.read(ctx, func(c *conn) error {
		rows = nil
		return c.each(selectAudit, func(r row) error {
			rows = append(rows, objects.Row{Key: r.id(0), Audit: store.Audit{At: r.time(1), Actor: r.text(2), Address: r.text(3), Action: r.text(4),
				Subject: r.text(5), Before: r.blob(6), After: r.blob(7), Request: r.text(8)}})
			return nil
		}, asked.From, asked.Before, asked.Actor, asked.Action, asked.ActionHead, asked.Subject, asked.SubjectHead, asked.Limit+1)
	})
	if err != nil {
		return nil, "", err
	}
	list, next := asked.Answer(rows)
	return list, next, nil
}

// TrimAudit implements [store.Admin].
func (s *Store) TrimAudit(ctx context.Context, before store.Time, limit int) (deleted int, err error) {
	err = s.write(ctx, "trim", func(tx *tx) error {
		n, err := tx.exec(trimAudit, objects.FirstKey(before), max(0, limit))
		deleted = int(n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return deleted, nil
}
