package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	objectColumns = `kind, name, body, managed, actor, version, updated_at`
	objectValues  = `$1::text, $2::text, $3::bytea, $4::text, $5::text, $6::bigint, $7::bigint`
)

var (
	selectObject  = newQuery(`SELECT ` + objectColumns + ` FROM outlast_object WHERE kind = $1::text AND name = $2::text`)
	lockObject    = newQuery(`SELECT ` + objectColumns + ` FROM outlast_object WHERE kind = $1::text AND name = $2::text FOR UPDATE`)
	selectObjects = newQuery(`SELECT ` + objectColumns + ` FROM outlast_object WHERE $1::text = '' OR kind = $1::text ORDER BY kind, name`)

	selectVersions = newQuery(`SELECT ` + objectColumns + ` FROM outlast_object_version WHERE kind = $1::text AND name = $2::text
ORDER BY kind, name, version DESC LIMIT $3::bigint`)
	lastVersion = newQuery(`SELECT coalesce(max(version), 0) FROM outlast_object_version WHERE kind = $1::text AND name = $2::text`)

	// insertObject inserts an object unless another has been quicker, for
	// whose transaction it waits.
	insertObject = newQuery(`INSERT INTO outlast_object (` + objectColumns + `) VALUES (` + objectValues + `) ON CONFLICT (kind, name) DO NOTHING`)

	// updateObject replaces an object that lockObject has locked.
	updateObject = newQuery(`UPDATE outlast_object SET body = $3::bytea, managed = $4::text, actor = $5::text, version = $6::bigint, updated_at = $7::bigint
WHERE kind = $1::text AND name = $2::text`)
	deleteObject = newQuery(`DELETE FROM outlast_object WHERE kind = $1::text AND name = $2::text`)

	insertVersion = newQuery(`INSERT INTO outlast_object_version (` + objectColumns + `) VALUES (` + objectValues + `)`)

	// dropVersions deletes all versions of an object but the newest $3.
	dropVersions = newQuery(`DELETE FROM outlast_object_version WHERE kind = $1::text AND name = $2::text AND version <=
 (SELECT version FROM outlast_object_version WHERE kind = $1::text AND name = $2::text ORDER BY kind, name, version DESC LIMIT 1 OFFSET $3::bigint)`)

	// beginChange takes the id of a change. It waits for a change in flight
	// that has the same one.
	beginChange   = newQuery(`INSERT INTO outlast_change (id, at, versions) VALUES ($1::text, $2::bigint, '') ON CONFLICT (id) DO NOTHING`)
	selectChange  = newQuery(`SELECT at, versions FROM outlast_change WHERE id = $1::text`)
	endChange     = newQuery(`UPDATE outlast_change SET versions = $2::text WHERE id = $1::text`)
	forgetChanges = newQuery(`DELETE FROM outlast_change WHERE at <= $1::bigint`)

	selectConfig = newQuery(`SELECT value FROM outlast_counter WHERE name = 'config'`)
	raiseConfig  = newQuery(`UPDATE outlast_counter SET value = value + 1 WHERE name = 'config'`)

	insertAudit = newQuery(`INSERT INTO outlast_audit (id, at, actor, address, action, subject, before, after, request)
VALUES ($1::uuid, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::bytea, $8::bytea, $9::text)`)

	// selectAudit reads a page. Inputs: the ids from and before which, actor,
	// action, the head of actions, subject, the head of subjects, limit.
	selectAudit = newQuery(`SELECT id, at, actor, address, action, subject, before, after, request FROM outlast_audit
WHERE id >= $1::uuid AND id < $2::uuid AND ($3::text = '' OR actor = $3::text)
 AND ($4::text = '' OR action = $4::text) AND left(action, length($5::text)) = $5::text
 AND ($6::text = '' OR subject = $6::text) AND left(subject, length($7::text)) = $7::text ORDER BY id DESC LIMIT $8::bigint`)

	// trimAudit deletes the oldest $2 rows with ids below $1.
	trimAudit = newQuery(`DELETE FROM outlast_audit WHERE id IN (SELECT id FROM outlast_audit WHERE id < $1::uuid ORDER BY id LIMIT $2::bigint)`)
)

func scanObject(r row) store.Object {
	return store.Object{Kind: r.text(0), Name: r.text(1), Body: r.blob(2), Managed: r.text(3), Actor: r.text(4), Version: r.int(5), UpdatedAt: r.time(6)}
}

func objectArgs(o store.Object) []any {
	return []any{o.Kind, o.Name, o.Body, o.Managed, o.Actor, o.Version, stored.Micro(o.UpdatedAt)}
}

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	var changed *store.Changed
	err := s.write(ctx, func(t *tx) (err error) {
		changed, err = objects.Apply(&tables{ctx, t}, &change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// tables implements [objects.Tables].
type tables struct {
	ctx context.Context
	tx  *tx
}

func (t *tables) Now() store.Time { return t.tx.time() }

func (t *tables) exec(q *query, args ...any) (int64, error) { return exec(t.ctx, t.tx, q, args...) }

func (t *tables) Begin(id string, forget store.Time) (known bool, at store.Time, versions string, err error) {
	if _, err := t.exec(forgetChanges, stored.Micro(forget)); err != nil {
		return false, at, "", err
	}
	if n, err := t.exec(beginChange, id, t.tx.now); err != nil || n == 1 {
		return false, at, "", err
	}
	known, err = one(t.ctx, t.tx, selectChange, func(r row) { at, versions = r.time(0), r.text(1) }, id)
	return known, at, versions, err
}

func (t *tables) End(id, versions string) error {
	_, err := t.exec(endChange, id, versions)
	return err
}

func (t *tables) Lock(kind, name string) (o store.Object, found bool, err error) {
	found, err = one(t.ctx, t.tx, lockObject, func(r row) { o = scanObject(r) }, kind, name)
	return o, found, err
}

func (t *tables) LastVersion(kind, name string) (version int64, err error) {
	_, err = one(t.ctx, t.tx, lastVersion, func(r row) { version = r.int(0) }, kind, name)
	return version, err
}

func (t *tables) Put(o store.Object, fresh bool) (bool, error) {
	q := updateObject
	if fresh {
		q = insertObject
	}
	n, err := t.exec(q, objectArgs(o)...)
	return n == 1, err
}

func (t *tables) Delete(kind, name string) error {
	_, err := t.exec(deleteObject, kind, name)
	return err
}

func (t *tables) Keep(o store.Object, most int) error {
	return t.tx.run(t.ctx, &call{query: insertVersion, args: objectArgs(o)}, &call{query: dropVersions, args: []any{o.Kind, o.Name, most}})
}

func (t *tables) Raise() error {
	_, err := t.exec(raiseConfig)
	return err
}

func (t *tables) Audit(rows []objects.Row) error {
	calls := make([]*call, len(rows))
	for i, row := range rows {
		calls[i] = &call{query: insertAudit, args: []any{row.Key, stored.Micro(row.At), row.Actor, row.Address, row.Action, row.Subject,
			row.Before, row.After, row.Request}}
	}
	return t.tx.run(t.ctx, calls...)
}

func (t *tables) Enqueue(items []store.Insert) ([]store.Inserted, error) {
	inserted, err := insertAll(t.ctx, t.tx, t.tx.store, t.tx.now, items)
	if refusal(err) {
		err = refusedData(err)
	}
	return inserted, err
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
	err = s.read(ctx, func(c session) error {
		list = nil
		return each(ctx, c, q, func(r row) error {
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
	err = s.read(ctx, func(c session) error {
		rows = nil
		return each(ctx, c, selectAudit, func(r row) error {
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
	err = s.write(ctx, func(t *tx) error {
		n, err := exec(ctx, t, trimAudit, objects.FirstKey(before), max(0, limit))
		deleted = int(n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return deleted, nil
}
