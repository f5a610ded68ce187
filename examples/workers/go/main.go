// Command go is a remote worker in Go: it greets, fails twice, and takes its time.
// Run it beside `outlast serve`:
//
//	go run ./examples/workers/go http://127.0.0.1:7070
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast/client"
)

func main() {
	if err := work(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// work runs a worker until a signal comes. The arguments are the server and the
// lease.
func work(args []string) error {
	server, lease := client.DefaultServer, 30*time.Second
	if len(args) > 0 {
		server = args[0]
	}
	if len(args) > 1 {
		var err error
		if lease, err = time.ParseDuration(args[1] + "s"); err != nil {
			return err
		}
	}
	c, err := client.New(server, client.WithToken(os.Getenv("OUTLAST_TOKEN")))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return c.Work(ctx, map[string]client.WorkHandler{
		"greet": greet, "flaky": flaky, "slow": slow, "check": check,
	}, client.WorkOptions{Concurrency: 8, Lease: lease, Release: os.Getenv("OUTLAST_RELEASE")})
}

func greet(_ context.Context, t *client.LeasedTask) (any, error) {
	var payload struct{ Name string }
	if err := json.Unmarshal(t.Payload, &payload); err != nil {
		return nil, err
	}
	return map[string]string{"text": fmt.Sprintf("Hello %s, from Go", payload.Name)}, nil
}

func flaky(_ context.Context, t *client.LeasedTask) (any, error) {
	if t.Attempt <= 2 {
		return nil, fmt.Errorf("the shop hung up: %w", syscall.ECONNRESET)
	}
	return map[string]int{"attempts": t.Attempt}, nil
}

// slow works for so many seconds, says how far it is, and stops when it should.
func slow(ctx context.Context, t *client.LeasedTask) (any, error) {
	var payload struct{ Seconds float64 }
	if err := json.Unmarshal(t.Payload, &payload); err != nil {
		return nil, err
	}
	steps := int(payload.Seconds * 10)
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for step := range steps {
		if err := client.Progress(ctx, map[string]float64{"done": float64(step) / float64(steps)}); err != nil {
			return nil, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return map[string]float64{"slept": payload.Seconds}, nil
}

func check(_ context.Context, t *client.LeasedTask) (any, error) {
	var payload struct{ Order int }
	if err := json.Unmarshal(t.Payload, &payload); err != nil || payload.Order == 0 {
		return nil, client.GiveUp(errors.New("an order has no number"))
	}
	return nil, nil
}
