package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
)

// system is what is measured: Outlast or a peer. It gets the same tasks,
// payloads and durability as the others.
type system interface {
	name() string
	// suits reports whether it can be measured where Outlast has its tasks in
	// a store of the kind.
	suits(store string) bool
	// make makes an empty place for tasks.
	make(ctx context.Context, s *session) (place, error)
	// open makes a node that has not started on a place.
	open(ctx context.Context, at place, o nodeOptions) (node, error)
	// knobs are the settings that the search tries before such a bench.
	knobs(of work) []knob
}

// work is what a bench asks most of.
type work string

const (
	running   work = "running"   // many tasks, as fast as they run
	enqueuing work = "enqueuing" // single calls from many goroutines
	batching  work = "batching"  // big batches from one goroutine
	waking    work = "waking"    // single tasks on an idle system
	lasting   work = "lasting"   // a load that leaves room
	beating   work = "beating"   // tasks that may take any time, until a kill
)

// node is one process's part of a system, or one of several inside this.
// Its methods are safe for concurrent use.
type node interface {
	// start begins to run tasks and returns when the node is ready.
	start(ctx context.Context) error
	// enqueue returns when the task is on disk.
	enqueue(ctx context.Context, j job) error
	// enqueueMany returns when all tasks are on disk.
	enqueueMany(ctx context.Context, jobs []job) error
	// drained returns when the node has ended nodeOptions.tasks tasks and
	// their ends are on disk.
	drained(ctx context.Context) error
	// succeeded counts the tasks that history shows as succeeded.
	succeeded(ctx context.Context) (int, error)
	// stop ends the node and closes its store.
	stop(ctx context.Context) error
	// settings are the node's own, to be printed with figures.
	settings() settings
}

// nodeOptions say what a node does.
type nodeOptions struct {
	enqueueOnly bool
	slots       int // attempts at once, unless the tuning says otherwise
	tasks       int // how many drained waits for
	// ended is told of every task whose end is on disk. Peers do not tell.
	ended func()
	// committed is told of every commit: of what, and of how many. Peers do not tell.
	committed func(kind string, rows int, took time.Duration)
	// handle runs one attempt of a job; payload must not be kept.
	handle func(ctx context.Context, attempt int, payload []byte) error
	// retries makes failed attempts run again after exactly wait, instead of
	// by the system's default. Guards are off then, unless guarded.
	retries bool
	wait    time.Duration
	guarded bool
	// privateTargets lets tasks call servers on this host.
	privateTargets bool
	// crashes makes the node notice the crash of another as soon as its
	// settings allow for tasks that take crashTask.
	crashes bool
	// rules are alert rules of Outlast.
	rules []alert.Rule
	tuned tuning
}

// job is a task to be enqueued.
type job struct {
	payload []byte
	delay   time.Duration
	share   string // share key; peers have none
	url     string // to be called over HTTP instead of run by handle
}

// systems are all that can be measured, Outlast first.
func systems() []system {
	return append([]system{outlastSystem{}, riverSystem{}, asynqSystem{}}, optional...)
}

// optional are peers that are built only when a tag asks for them.
var optional []system

// peerNames are the systems that --peers can name.
func peerNames() (names []string) {
	for _, s := range systems()[1:] {
		names = append(names, s.name())
	}
	return names
}

// contestants are the systems that take turns in a bench.
func (c config) contestants(b bench) []system {
	wanted := strings.Split(c.peers, ",")
	return slices.DeleteFunc(systems(), func(s system) bool {
		if s.name() == outlastName {
			return false
		}
		return !slices.Contains(b.peers, s.name()) || !slices.Contains(wanted, s.name()) || !s.suits(c.storeOf(b).scheme())
	})
}

// noop is the payload of tasks that do nothing.
var noop = []byte(`{"n":12345}`)
