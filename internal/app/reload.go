package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/store"
)

// applyTimeout bounds one try to bring a file into the database, and retryApply
// says when a try that failed for the database is repeated.
const (
	applyTimeout = 30 * time.Second
	retryApply   = 5 * time.Second
)

// reloader reads the configuration file again when it changes. It belongs to one
// goroutine, but for its status.
type reloader struct {
	backend store.Config
	log     *slog.Logger
	node    string
	file    *config.File // the last good one
	watch   *config.Watcher
	hangups <-chan os.Signal
	again   time.Time // when a try that failed is repeated, zero for never
	asked   bool      // somebody has asked for the file as it is: it may come back after another
	told    atomic.Pointer[reloadStatus]
	own     *ownChannels
}

type reloadStatus struct {
	detail string
	well   bool
}

// configure brings the file into the database and begins to watch it. Without a
// file there is nothing to tell.
func (a *App) configure(ctx context.Context) (*reloader, error) {
	if a.config.File == nil {
		return nil, nil
	}
	backend, err := serving.Of(a.client).Configuration(ctx)
	if err != nil {
		return nil, err
	}
	node, err := os.Hostname()
	if err != nil {
		node = a.addr
	}
	r := &reloader{
		backend: backend, log: a.config.Logger, node: node, file: a.config.File,
		watch: config.Watch(a.config.File.Path), hangups: a.config.Hangups, own: &a.own,
	}
	if err := r.apply(ctx, a.config.File); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.run(life)
	}()
	a.undo("configuration", closeTimeout, func(context.Context) error {
		end()
		<-ended
		return nil
	})
	return r, nil
}

// run looks at the file until ctx ends.
func (r *reloader) run(ctx context.Context) {
	ticker := time.NewTicker(config.Look)
	defer ticker.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-r.hangups:
			asked = true
		case <-ticker.C:
		}
		changed := r.watch.Changed()
		// A file that changes while it is read after a signal is asked for, too.
		r.asked = asked || r.asked && (changed || !r.again.IsZero())
		if due := !r.again.IsZero() && !time.Now().Before(r.again); changed || asked || due {
			r.read(ctx)
		}
	}
}

// read reads the file and lets it hold, if it is good as a whole. Else the one
// before goes on to hold.
func (r *reloader) read(ctx context.Context) {
	r.again = time.Time{}
	next, err := config.Read(r.file.Path)
	if err == nil {
		r.own.are(next, r.file) // before others see the channels
		err = r.apply(ctx, next)
	}
	if err == nil {
		if paths := next.Restart(r.file); len(paths) > 0 {
			r.log.Warn("config.restart_needed", "file", next.Path, "keys", strings.Join(paths, " "))
		}
		r.file = next
		return
	}
	var refused *config.Error
	if !errors.As(err, &refused) { // the file or the database cannot be read now
		r.again = time.Now().Add(retryApply)
	}
	r.log.Error("config.refused", "file", r.file.Path, "error", err)
	var unfinished *config.UnfinishedError
	if errors.As(err, &unfinished) {
		r.tell(false, r.file.Path+" is in force but for its queues, which is tried again: "+err.Error())
		return
	}
	r.tell(false, r.file.Path+" is refused, and what was in force goes on to be: "+err.Error())
}

// apply brings what holds on all nodes into the database.
func (r *reloader) apply(ctx context.Context, file *config.File) error {
	ctx, cancel := context.WithTimeout(ctx, applyTimeout)
	defer cancel()
	apply := config.Apply
	if r.asked {
		apply = config.ApplyAgain
	}
	outcome, err := apply(ctx, r.backend, file, r.node)
	if err != nil {
		return err
	}
	for _, past := range file.Past(time.Now()) {
		r.log.Warn("config.past", "file", file.Path, "line", past.Line, "key", past.Path, "hint", past.Message)
	}
	hash := file.Hash()
	switch outcome {
	case config.Superseded:
		r.log.Warn("config.superseded", "file", file.Path, "hash", hash,
			"hint", "another file has replaced it since; to go back to it, send SIGHUP to this server")
		r.tell(false, file.Path+" was in force before and is not applied again by itself: send SIGHUP to this server to go back to it")
	default:
		r.log.Info("config.read", "file", file.Path, "hash", hash, "outcome", string(outcome))
		r.tell(true, file.Path+" is in force")
	}
	return nil
}

func (r *reloader) tell(well bool, detail string) { r.told.Store(&reloadStatus{detail, well}) }

// status is what became of the file.
func (r *reloader) status() (detail string, well bool) {
	told := r.told.Load()
	return told.detail, told.well
}
