package main

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// goWorker is the worker program of the Go client.
func goWorker() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c, err := client.New(os.Getenv("OUTLAST_SERVER"), client.WithToken(os.Getenv("OUTLAST_TOKEN")))
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Work(ctx, map[string]client.WorkHandler{
		"echo":   told(func(_ context.Context, t *client.LeasedTask) (any, error) { return t.Payload, nil }),
		"fail":   told(func(_ context.Context, t *client.LeasedTask) (any, error) { return nil, errors.New(string(t.Payload)) }),
		"reject": told(func(context.Context, *client.LeasedTask) (any, error) { return nil, client.GiveUp(errors.New("no")) }),
		"snooze": told(func(context.Context, *client.LeasedTask) (any, error) { return nil, client.Snooze(5 * time.Second) }),
		"bad":    told(func(context.Context, *client.LeasedTask) (any, error) { return math.NaN(), nil }),
		"slow":   told(slow),
		"steps":  told(someStepsOf),
	}, client.WorkOptions{Concurrency: slots, Lease: seconds("OUTLAST_KIT_LEASE"), Grace: seconds("OUTLAST_KIT_GRACE")})
}

func seconds(variable string) time.Duration {
	n, _ := strconv.Atoi(os.Getenv(variable)) // the kit sets it
	return time.Duration(n) * time.Second
}

// told is a handler that first says that it was started.
func told(handler client.WorkHandler) client.WorkHandler {
	return func(ctx context.Context, t *client.LeasedTask) (any, error) {
		if _, err := tell(t, "started"); err != nil {
			return nil, err
		}
		return handler(ctx, t)
	}
}

func slow(ctx context.Context, t *client.LeasedTask) (any, error) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		answer, err := tell(t, "working")
		if err != nil {
			return nil, err
		}
		if answer == "end" {
			return t.Payload, nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			_, err := tell(t, "stopped")
			return nil, errors.Join(context.Cause(ctx), err)
		}
	}
}

// tell says what a handler does; the answer may be that it is to end.
func tell(t *client.LeasedTask, event string) (string, error) {
	target := os.Getenv("OUTLAST_SERVER") + "/kit/" + event + "/" + t.ID.String() + "/" + strconv.FormatInt(t.Claim, 10)
	resp, err := http.Post(target, "", nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return string(answer), err
}

func someStepsOf(ctx context.Context, t *client.LeasedTask) (any, error) {
	var done []string
	for _, name := range []string{"one", "two"} {
		result, err := client.DoStep(ctx, name, func(context.Context) (string, error) {
			_, err := tell(t, "step-"+name)
			return name, err
		})
		if err != nil {
			return nil, err
		}
		done = append(done, result)
	}
	return done, nil
}
