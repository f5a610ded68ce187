package inspector

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// alertObjects changes rules and channels.
type alertObjects struct{ node *node }

// put keeps a rule or channel, whatever version there is.
func (os *alertObjects) put(ctx context.Context, kind, name string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.change(ctx, kind, name, func(before *store.Object) store.Change {
		row := actor.Audit(ctx, kind+".put", kind+"/"+name)
		row.Before, row.After = before.Body, body
		return store.Change{
			Put:   []store.Object{{Kind: kind, Name: name, Body: body, Version: before.Version, Actor: row.Actor}},
			Audit: []store.Audit{row},
		}
	})
}

func (os *alertObjects) delete(ctx context.Context, kind, noun, name string) error {
	return os.change(ctx, kind, name, func(before *store.Object) store.Change {
		if before.Version == 0 {
			return store.Change{}
		}
		row := actor.Audit(ctx, kind+".delete", kind+"/"+name)
		row.Before = before.Body
		return store.Change{Delete: []store.Object{*before}, Audit: []store.Audit{row}}
	}, noun)
}

// change changes an object by compare-and-set, again if another was
// faster. Where there is none and nothing to put, it is "not_found".
func (os *alertObjects) change(ctx context.Context, kind, name string, change func(before *store.Object) store.Change, noun ...string) error {
	for {
		before, err := os.node.Backend.Object(ctx, kind, name)
		if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
			before, err = &store.Object{Kind: kind, Name: name}, nil
		}
		if err != nil {
			return err
		}
		if before.Managed != "" && before.Doubt == nil {
			return managedByFile("alert "+kind, name)
		}
		request := change(before)
		if len(request.Put)+len(request.Delete) == 0 {
			return task.NotFound(noun[0], name)
		}
		_, err = os.node.Backend.Change(ctx, request)
		if errors.Is(err, &task.Error{Code: task.CodeConflict}) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return err
		}
		os.node.refresh(ctx)
		_ = os.node.Alerts.Book.Load(ctx) // it is changed; else the next look reads it
		return nil
	}
}
