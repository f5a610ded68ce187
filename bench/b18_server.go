package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// serverClients is how many connections have a request under way. With 16 a task costs
// program and database half as much again, since fewer share a commit.
const serverClients = 64

// throughServer: what those get who use the server program alone. Clients, server,
// receiver and database share the cores.
var throughServer = bench{
	id: "B18", title: "POST /v1/tasks with a token, push to a receiver process, settlement: through one server process", n: 30_000, store: postgres,
	setup: needsServer,
	run: func(ctx context.Context, s *session) error {
		at, err := s.place(ctx)
		if err != nil {
			return err
		}
		if !at.shared() {
			return errors.New("a server process cannot reach the memory of this one")
		}
		token, err := s.makeToken(ctx, at)
		if err != nil {
			return err
		}
		receiver, err := s.spawn(ctx, childFlags{kind: "receive"})
		if err != nil {
			return err
		}
		ready, err := receiver.expect(ctx, "ready", 10*time.Second)
		if err != nil {
			return err
		}
		server, address, err := s.serve(ctx, at, "--allow-target", "127.0.0.0/8")
		if err != nil {
			return err
		}
		body := `{"target":{"url":"http://` + ready.Address + `/"},"payload":` + string(noop) + `}`
		if err := s.postUntilSettled(ctx, at, server, receiver, address, enqueueRequest(address, token, body)); err != nil {
			return err
		}
		return errors.Join(receiver.finish(ctx), server.interrupt(ctx))
	},
}

// makeToken makes a token that may enqueue, by the program, and so closes its API to
// requests without one.
func (s *session) makeToken(ctx context.Context, at place) (string, error) {
	create := exec.CommandContext(ctx, *s.server, "token", "create", "--store", at.url, "--name", "bench", "--role", "enqueuer")
	create.Dir = at.dir
	var said strings.Builder
	create.Stderr = &said
	secret, err := create.Output()
	if err != nil {
		return "", fmt.Errorf("outlast token create: %w: %s", err, said.String())
	}
	return strings.TrimSpace(string(secret)), nil
}

// postUntilSettled measures from the first request to the time at which the history
// shows that every task has succeeded.
func (s *session) postUntilSettled(ctx context.Context, at place, server, receiver *process, address string, request []byte) (err error) {
	looker, err := openOutlast(ctx, at, nodeOptions{enqueueOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, looker.stop(context.WithoutCancel(ctx))) }()
	stop, err := clock(ctx, at.meter)
	if err != nil {
		return err
	}
	n, used := s.tasks(), treeTime(server.cmd.Process.Pid)
	posted, calls, err := s.post(ctx, address, request, serverClients, n)
	if err != nil {
		return err
	}
	err = until(ctx, 20*time.Millisecond, func() (bool, error) {
		seen, err := receiver.ask(ctx, "count", time.Minute)
		return seen.Count >= n, err
	})
	if err != nil {
		return err
	}
	err = until(ctx, 5*time.Millisecond, func() (bool, error) {
		succeeded, err := looker.succeeded(ctx)
		return succeeded >= n, err
	})
	if err != nil {
		return err
	}
	took, err := stop()
	if err != nil {
		return err
	}
	used = treeTime(server.cmd.Process.Pid) - used
	if seen, err := receiver.ask(ctx, "report", time.Minute); err != nil || seen.Count != n {
		return errors.Join(err, fmt.Errorf("the receiver saw %d requests for %d tasks", seen.Count, n))
	}
	set := settings{"connections": serverClients, "history": "on", "fencing": "on", "budget": "default", "breaker": "default", "token": "enqueuer"}
	s.record("", perSecond(n, took.wall), "tasks/s", n, "", set)
	s.record("posted", perSecond(n, posted), "tasks/s", n, "", set)
	s.record("call-p99", calls.quantile(0.99), "ms", n, "", set)
	s.record("program-cpu", float64(used.Microseconds())/float64(n), "µs/task", n, "", set)
	s.record("server-cpu", float64(took.server.cpu.Microseconds())/float64(n), "µs/task", n, "", set)
	return nil
}
