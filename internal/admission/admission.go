// Package admission is what a client does with a store before it works on it: it refuses one that
// it cannot work on, and makes the queues that it needs.
package admission

import (
	"context"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// checkSchema refuses a database that was opened as it is and lacks migrations. One
// that is too far ahead is refused by the store itself.
func checkSchema(ctx context.Context, backend store.Backend) error {
	migrator, ok := store.As[store.Migrator](backend)
	if !ok {
		return nil
	}
	all, err := migrator.Migrations(ctx)
	if err != nil {
		return err
	}
	for _, migration := range all {
		if !migration.Applied {
			return &task.Error{Code: task.CodeUnavailable, Message: "the database lacks the migration " + migration.Name,
				Hint: "run outlast migrate up --store URL, or open the store without WithoutMigration"}
		}
	}
	return nil
}

// Admit refuses a store that this process cannot work on. With write it also makes the keys of
// this process known there.
func Admit(ctx context.Context, backend *sealed.Store, write bool) error {
	if err := checkSchema(ctx, backend); err != nil {
		return err
	}
	return backend.Admit(ctx, write)
}

// alertLanes are those of the queue of alerts: they are few, and wait.
const alertLanes = 2

// CreateQueues makes those of the queues that are missing: the default one, that of alerts, and
// those that the node works on.
func CreateQueues(ctx context.Context, backend store.Backend, names []string) error {
	queues, err := backend.Queues(ctx)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(queues))
	for _, queue := range queues {
		known[queue.Name] = true
	}
	for _, name := range append([]string{task.DefaultQueue, alerts.Queue}, names...) {
		if known[name] {
			continue
		}
		known[name] = true
		queue := store.Queue{Name: name}
		if name == alerts.Queue {
			queue.Lanes = alertLanes
		}
		if _, err := backend.PutQueue(ctx, queue); err != nil {
			return err
		}
	}
	return nil
}
