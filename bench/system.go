package main

import (
	"context"
	"time"
)

// system is what is measured: Outlast, and later its peers. It gets the same
// tasks, payloads and durability as the others.
type system interface {
	name() string
	// open makes a node that has not started on a store.
	open(ctx context.Context, at place, o nodeOptions) (node, error)
}

// node is one process's part of a system, or one of several inside this.
// Its methods are safe for concurrent use.
type node interface {
	// start begins to run tasks and returns when the node is ready.
	start(ctx context.Context) error
	// enqueue returns when the task is on disk.
	enqueue(ctx context.Context, j job) error
	// enqueueMany returns when all tasks are on disk.
	enqueueMany(ctx context.Context, jobs []job) error
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
	slots       int // attempts at once
	// handle runs one attempt of a job; payload must not be kept.
	handle func(ctx context.Context, attempt int, payload []byte) error
	// retries makes failed attempts run again after exactly wait, instead of
	// by the system's default.
	retries bool
	wait    time.Duration
	// ended is called after the end of a task is on disk.
	ended func()
	// privateTargets lets tasks call servers on this host.
	privateTargets bool
}

// job is a task to be enqueued.
type job struct {
	payload []byte
	delay   time.Duration
	url     string // to be called over HTTP instead of run by handle
}

// systems are those that are measured.
func systems() []system { return []system{outlastSystem{}} }

// noop is the payload of tasks that do nothing.
var noop = []byte(`{"n":12345}`)
