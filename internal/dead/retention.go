package dead

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// purgeBatch is how many letters are deleted in one transaction; they are
	// read whole, so it is small.
	purgeBatch = 100
	// archiveBytes of results of steps end a batch for the archive.
	archiveBytes = 16 << 20
	// longestNap bounds the waits until the next cleanup, so that a clock that
	// was set is noticed.
	longestNap = time.Minute
	// leastCleanup is the least time between two cleanups.
	leastCleanup = time.Minute
)

// retention deletes dead letters past their retention, once a day.
type retention struct {
	keep    time.Duration
	when    schedules.Times
	archive func(context.Context, []inspect.Letter) error
	backend store.Backend
	node    Node
	log     *slog.Logger
	forget  func(ctx context.Context, before time.Time) error // reports of redrives
	audit   trim
}

func newRetention(config Config, backend store.Backend, node Node, log *slog.Logger) retention {
	when, err := schedules.Cron(config.Cleanup, config.Zone, leastCleanup)
	if err != nil {
		when, _ = schedules.Cron(DefaultCleanup, "", leastCleanup)
	}
	return retention{keep: config.Retention, when: when, archive: config.Archive, backend: backend, node: node, log: log,
		audit: trim{keep: config.Audit, backend: backend, log: log}}
}

func (r *retention) run(ctx context.Context) {
	next := r.next(time.Now())
	for {
		now := time.Now()
		if !now.Before(next) {
			if firstAlive(r.node) {
				r.runOnce(ctx, now)
				r.audit.runOnce(ctx, now)
			}
			next = r.next(now)
		}
		if !background.Nap(ctx, next.Sub(now), longestNap) {
			return
		}
	}
}

func (r *retention) next(now time.Time) time.Time {
	at, ok := r.when.After(now)
	if !ok {
		return now.Add(24 * time.Hour)
	}
	return at
}

// runOnce deletes and logs every letter that died before now minus the
// retention. What an error leaves behind is deleted the next time.
func (r *retention) runOnce(ctx context.Context, now time.Time) {
	filter := store.Filter{DiedBefore: now.Add(-r.keep)}
	deleted := 0
	for ctx.Err() == nil {
		letters, err := r.purge(ctx, filter)
		if err != nil {
			r.log.Error("dead.cleanup_failed", "deleted", deleted, "error", err)
			return
		}
		if len(letters) == 0 {
			break
		}
		for _, letter := range letters {
			r.deleted(ctx, letter)
		}
		wakeReleased(r.node, letters)
		deleted += len(letters)
	}
	if r.forget != nil {
		if err := r.forget(ctx, filter.DiedBefore); err != nil && ctx.Err() == nil {
			r.log.Error("dead.cleanup_failed", "deleted", deleted, "error", err)
			return
		}
	}
	r.log.Info("dead.cleanup", "deleted", deleted, "died_before", filter.DiedBefore.UTC())
}

// purge deletes a batch, once it is in the archive if there is one.
func (r *retention) purge(ctx context.Context, filter store.Filter) ([]*task.Task, error) {
	if r.archive == nil {
		return r.backend.Purge(ctx, filter, purgeBatch)
	}
	letters, err := r.oldest(ctx, filter)
	if err != nil || len(letters) == 0 {
		return nil, err
	}
	gathered, size := make([]inspect.Letter, 0, len(letters)), 0
	for _, letter := range letters {
		one, there, err := whole(ctx, r.backend, letter)
		if err != nil {
			return nil, err
		}
		if !there {
			continue // it was sent back meanwhile
		}
		gathered = append(gathered, one)
		filter.IDs = append(filter.IDs, letter.ID)
		for i := range one.Steps {
			size += len(one.Steps[i].Result)
		}
		if size > archiveBytes {
			break // the others come with the next batch
		}
	}
	if len(gathered) == 0 {
		return nil, nil
	}
	if err := r.archive(ctx, gathered); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return r.backend.Purge(ctx, filter, purgeBatch)
}

// oldest reads a batch of the letters that match, whole. Pages of [store.Query.Find]
// begin with the newest, and are empty where very many of those do not match.
func (r *retention) oldest(ctx context.Context, filter store.Filter) (letters []*task.Task, err error) {
	listed, err := r.backend.Letters(ctx, Letters(filter), task.ID{}, purgeBatch)
	if err != nil || len(listed) == 0 {
		return nil, err
	}
	for i := range listed {
		filter.IDs = append(filter.IDs, listed[i].ID)
	}
	err = Each(ctx, r.backend, filter, func(letter *task.Task) error {
		letters = append(letters, letter)
		return nil
	})
	return letters, err
}

// deleted logs what a letter was, but never its payload.
func (r *retention) deleted(ctx context.Context, letter *task.Task) {
	category, fingerprint := "", ""
	if f := letter.LastError; f != nil {
		category, fingerprint = f.Category, f.Fingerprint
	}
	r.log.LogAttrs(ctx, slog.LevelInfo, "dead.deleted",
		slog.String("task", letter.ID.String()), slog.String("type", letter.Type), slog.Int("attempts", letter.Attempt),
		slog.String("reason", string(letter.DeadReason)), slog.String("category", category),
		slog.String("fingerprint", fingerprint))
}
