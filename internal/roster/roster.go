// Package roster tells the nodes of a cluster of one another's remote workers.
//
// A node knows the workers that poll it, in memory. While there are some, it writes them into
// the store every ten seconds, as one object that says only what is so now: it is no
// configuration, and nothing goes by it. Programs without remote workers write nothing.
package roster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Kind is the kind of the objects, one for each node that has remote workers. Their names
// are those of the nodes.
const Kind = "node.workers"

const (
	tellEvery = 10 * time.Second
	fresh     = time.Minute      // how long counts what a node has told
	forget    = 10 * time.Minute // when others delete it, and how often they look
	writeTime = 5 * time.Second  // limit of one telling
)

// Config is what a roster is made of.
type Config struct {
	Backend store.Config
	Logger  *slog.Logger
	// Node is the id of this node, which may change, and Workers those that it knows.
	Node    func() string
	Workers func(now time.Time) []lease.Worker
}

// Roster is the remote workers of all nodes, as one of them sees them. Its methods are safe
// for concurrent use.
type Roster struct {
	Config
	loops background.Loops

	// Only the loop has these, and who has stopped it.
	told   string // the object that this node has written, "" for none
	tidied time.Time
}

// New makes a roster.
func New(config Config) *Roster { return &Roster{Config: config} }

// Start begins to tell others, at the pace of ctx. Call it once.
func (r *Roster) Start(ctx context.Context) { r.loops.Start(ctx, r.keep) }

// Stop takes back what this node has told.
func (r *Roster) Stop(ctx context.Context) {
	if r.loops.Stop(ctx) == nil && r.told != "" {
		r.log(ctx, r.remove(ctx))
	}
}

func (r *Roster) keep(ctx context.Context) {
	for running := ctx.Err() == nil; running; running = background.Idle(ctx, tellEvery) {
		limited, cancel := context.WithTimeout(ctx, writeTime)
		r.log(ctx, r.tell(limited))
		cancel()
	}
}

func (r *Roster) log(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.Logger.Warn("workers.failed", "error", err)
	}
}

// news is the body of an object.
type news struct {
	At      time.Time            `json:"at"`
	Workers []inspect.WorkerView `json:"workers"`
	More    int                  `json:"more,omitempty"` // workers that are left out
}

// tell writes which workers this node has, if any.
func (r *Roster) tell(ctx context.Context) error {
	now, node := time.Now().UTC(), r.Node()
	workers := r.own(now)
	if r.told != "" && (r.told != node || len(workers) == 0) {
		if err := r.remove(ctx); err != nil {
			return err
		}
	}
	if len(workers) == 0 {
		return nil
	}
	body, err := write(now, workers)
	if err != nil {
		return err
	}
	version, err := r.version(ctx, node)
	if err != nil {
		return err
	}
	r.told = node // also where the answer is lost
	if err := r.change(ctx, store.Change{Put: []store.Object{{Kind: Kind, Name: node, Body: body, Version: version, Actor: "workers"}}}); err != nil {
		return err
	}
	return r.tidy(ctx, now)
}

// remove deletes what this node has told.
func (r *Roster) remove(ctx context.Context) error {
	version, err := r.version(ctx, r.told)
	if err == nil && version > 0 {
		err = r.change(ctx, store.Change{Delete: []store.Object{{Kind: Kind, Name: r.told, Version: version}}})
	}
	if err == nil {
		r.told = ""
	}
	return err
}

// version is that of a node's object, 0 where there is none.
func (r *Roster) version(ctx context.Context, node string) (int64, error) {
	object, err := r.Backend.Object(ctx, Kind, node)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return object.Version, nil
}

func (r *Roster) change(ctx context.Context, change store.Change) error {
	change.Quiet = true
	_, err := r.Backend.Change(ctx, change)
	return err
}

// tidy deletes, now and then, what nodes have left behind that were killed.
func (r *Roster) tidy(ctx context.Context, now time.Time) error {
	if now.Sub(r.tidied) < forget {
		return nil
	}
	objects, err := r.Backend.Objects(ctx, Kind)
	if err != nil {
		return err
	}
	for i := range objects {
		if told, err := read(&objects[i]); err == nil && now.Sub(told.At) < forget {
			continue
		}
		err := r.change(ctx, store.Change{Delete: objects[i : i+1]})
		if err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return err
		}
	}
	r.tidied = now
	return nil
}

func read(object *store.Object) (told news, err error) {
	err = json.Unmarshal(object.Body, &told)
	return told, err
}
