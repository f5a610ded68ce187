package sqlstore

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
	ofObject      = ` WHERE kind = $1::text AND name = $2::text`
	newestFirst   = ` ORDER BY kind DESC, name DESC, version DESC` // as the primary key, backwards
)

var (
	selectObject   = query(`SELECT ` + objectColumns + ` FROM outlast_object` + ofObject)
	lockObject     = query(`SELECT ` + objectColumns + ` FROM outlast_object` + ofObject + forUpdate)
	selectObjects  = query(`SELECT ` + objectColumns + ` FROM outlast_object ORDER BY kind, name`)
	selectKind     = query(`SELECT ` + objectColumns + ` FROM outlast_object WHERE kind = $1::text ORDER BY kind, name`)
	selectVersions = query(`SELECT ` + objectColumns + ` FROM outlast_object_version` + ofObject + newestFirst + ` LIMIT $3::bigint`)
	lastVersion    = query(`SELECT coalesce(max(version), 0) FROM outlast_object_version` + ofObject)

	insertObject = query(`INSERT INTO outlast_object (` + objectColumns + `) VALUES (` + objectValues + `)` + onConflict)
	updateObject = query(`UPDATE outlast_object SET body = $3::bytea, managed = $4::text, actor = $5::text, version = $6::bigint, updated_at = $7::bigint` + ofObject)
	deleteObject = query(`DELETE FROM outlast_object` + ofObject)

	insertVersion = query(`INSERT INTO outlast_object_version (` + objectColumns + `) VALUES (` + objectValues + `)`)
	// oldVersion is the newest that is not to be kept any more: dropVersions deletes it
	// and those before it.
	oldVersion   = query(`SELECT version FROM outlast_object_version` + ofObject + newestFirst + ` LIMIT 1 OFFSET $3::bigint`)
	dropVersions = query(`DELETE FROM outlast_object_version` + ofObject + ` AND version <= $3::bigint`)

	// beginChange takes the id of a change. It waits for a change in flight that has
	// the same one.
	beginChange  = query(`INSERT INTO outlast_change (id, at, versions) VALUES ($1::text, $2::bigint, '')` + onConflict)
	selectChange = query(`SELECT at, versions FROM outlast_change WHERE id = $1::text`)
	endChange    = query(`UPDATE outlast_change SET versions = $2::text WHERE id = $1::text`)
	// oldChanges are deleted one by one: a range would lock more.
	oldChanges   = query(`SELECT id FROM outlast_change WHERE at <= $1::bigint LIMIT 1000`)
	forgetChange = query(`DELETE FROM outlast_change WHERE id = $1::text`)

	selectConfig = query(`SELECT value FROM outlast_counter WHERE name = 'config'`)
	raiseConfig  = query(`UPDATE outlast_counter SET value = value + 1 WHERE name = 'config'`)
)

func scanObject(r Row) store.Object {
	return store.Object{Kind: r.Text(0), Name: r.Text(1), Body: r.Blob(2), Managed: r.Text(3), Actor: r.Text(4), Version: r.Int(5), UpdatedAt: r.Time(6)}
}

func objectArgs(o *store.Object) []any {
	return []any{o.Kind, o.Name, o.Body, o.Managed, o.Actor, o.Version, stored.MicroOrNull(o.UpdatedAt)}
}

// tables does what a change of objects does in a transaction; see package objects.
type tables struct{ Tx }

// Now is the time of the transaction.
func (t tables) Now() store.Time { return now(t.Tx) }

// Enqueue inserts the tasks that go with it.
func (t tables) Enqueue(items []store.Insert) ([]store.Inserted, error) { return t.Insert(items) }

// Begin notes the id of a change.
func (t tables) Begin(id string, forget store.Time) (known bool, at store.Time, versions string, err error) {
	old, err := all(t, oldChanges, func(r Row) *Call { return &Call{Query: forgetChange, Args: []any{r.Text(0)}} }, forget.UnixMicro())
	if err == nil && len(old) > 0 {
		err = t.Run(old...)
	}
	if err != nil {
		return false, at, "", err
	}
	if n, err := exec(t, beginChange, id, t.Tx.Now); err != nil || n == 1 {
		return false, at, "", err
	}
	_, known, err = first(t, selectChange, func(r Row) bool {
		at, versions = r.Time(0), r.Text(1)
		return true
	}, id)
	if err == nil && !known { // it was forgotten meanwhile
		err = &task.Error{Code: task.CodeConflict, Message: "the id " + task.Quote(id) + " was that of an old change until now", Hint: "send the change again"}
	}
	return known, at, versions, err
}

// End notes the versions that the change of an id put.
func (t tables) End(id, versions string) error {
	_, err := exec(t, endChange, id, versions)
	return err
}

// Lock reads an object and keeps others from changing it.
func (t tables) Lock(kind, name string) (o store.Object, found bool, err error) {
	return first(t, lockObject, scanObject, kind, name)
}

// LastVersion is the greatest version that is kept of an object.
func (t tables) LastVersion(kind, name string) (int64, error) {
	version, _, err := first(t, lastVersion, intOf, kind, name)
	return version, err
}

// Put inserts an object, or replaces one that is locked.
func (t tables) Put(o store.Object, fresh bool) (bool, error) {
	q := updateObject
	if fresh {
		q = insertObject
	}
	n, err := exec(t, q, objectArgs(&o)...)
	return n == 1 || !fresh, err
}

// Delete deletes an object that is locked.
func (t tables) Delete(kind, name string) error {
	_, err := exec(t, deleteObject, kind, name)
	return err
}

// Keep adds a version of an object, and drops the oldest.
func (t tables) Keep(o store.Object, most int) error {
	var old []int64
	err := t.Run(&Call{Query: insertVersion, Args: objectArgs(&o)}, into(&old, oldVersion, intOf, o.Kind, o.Name, most))
	if err != nil || len(old) == 0 {
		return err
	}
	_, err = exec(t, dropVersions, o.Kind, o.Name, old[0])
	return err
}

// Raise raises Topology.Config.
func (t tables) Raise() error {
	_, err := exec(t, raiseConfig)
	return err
}

// Change implements [store.Config].
func (c Cold) Change(ctx context.Context, change store.Change) (changed *store.Changed, err error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	keyed := int64(0)
	for _, batch := range change.Enqueue {
		for i := range batch.Items {
			if batch.Items[i].Task.Key != "" {
				keyed++
			}
		}
	}
	err = c.db.Change(ctx, keyed, func(tx Tx) (err error) {
		changed, err = objects.Apply(tables{tx}, &change)
		return err
	})
	return resultOf(changed, err)
}

// Objects implements [store.Config].
func (c Cold) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	if kind == "" {
		return c.objects(ctx, selectObjects)
	}
	return c.objects(ctx, selectKind, kind)
}

// ObjectVersions implements [store.Config].
func (c Cold) ObjectVersions(ctx context.Context, kind, name string, limit int) ([]store.Object, error) {
	return c.objects(ctx, selectVersions, kind, name, max(0, limit))
}

func (c Cold) objects(ctx context.Context, q *Query, args ...any) ([]store.Object, error) {
	return reading(ctx, c, func(s Session) ([]store.Object, error) { return all(s, q, scanObject, args...) })
}

// Object implements [store.Config].
func (c Cold) Object(ctx context.Context, kind, name string) (*store.Object, error) {
	found, err := c.objects(ctx, selectObject, kind, name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, task.NotFound(kind, name)
	}
	return &found[0], nil
}
