package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/client"
)

type readyInput struct {
	Verbose bool `query:"verbose" doc:"Tell every check."`
}

// storeTimeout bounds how long a probe waits for the store.
const storeTimeout = 3 * time.Second

func (s *Server) addHealth() {
	handle(s, route{
		method: "GET", path: "/livez", id: "get-livez", tag: "health", answers: []int{200}, summary: "The process is there",
	}, func(context.Context, *none) (answer[client.Health], error) { return ok(client.Health{Status: "alive"}) })
	handle(s, route{
		method: "GET", path: "/readyz", id: "get-readyz", tag: "health", answers: []int{200, 503},
		summary: "The server can take and run tasks", about: "503 while it cannot. With verbose: what was checked.",
	}, s.ready)
}

func (s *Server) ready(ctx context.Context, in *readyInput) (answer[client.Health], error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	health := client.Health{Status: "ready", Checks: map[string]client.Check{}}
	check := func(name string, err error, detail string) {
		if err != nil { // its text may be for operators only
			s.log.Warn("not ready", slog.String("check", name), slog.Any("error", err))
			health.Status, detail = "not ready", problemOf(err).Error()
		}
		health.Checks[name] = client.Check{OK: err == nil, Detail: detail}
	}
	queues, err := s.inspect.Queues(ctx)
	check("store", err, s.store)
	stats := s.client.Stats()
	check("engine", s.client.Ready(), fmt.Sprintf("%d of %d slots in use, %d tasks due, %d waiting in memory", stats.Running, stats.Slots, stats.Ready, stats.Waiting))
	check("lanes", nil, fmt.Sprintf("%d owned by this node, %d queues", stats.Lanes, len(queues)))
	check("retries", nil, "on")
	out := answer[client.Health]{Status: http.StatusOK, Body: &health}
	if health.Status != "ready" {
		out.Status = http.StatusServiceUnavailable
	}
	if !in.Verbose {
		health.Checks = nil
	}
	return out, nil
}
