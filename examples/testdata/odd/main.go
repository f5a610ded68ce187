// Command odd is a worker whose handlers give back what no server takes, for tests.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/retry"
)

type mute struct{}

func (mute) Error() string { panic("not a word") }

// unknown is of a category that there is not.
type unknown struct{ error }

func (unknown) RetryVerdict() retry.Verdict { return retry.Verdict{Category: "none"} }

func main() {
	lease, err := time.ParseDuration(os.Args[2] + "s")
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.New(os.Args[1], client.WithToken(os.Getenv("OUTLAST_TOKEN")))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	handlers := map[string]client.WorkHandler{
		"odd":  odd,
		"fine": func(context.Context, *client.LeasedTask) (any, error) { return "fine", nil },
		"wait": func(ctx context.Context, _ *client.LeasedTask) (any, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		},
		"until": until,
	}
	if err := c.Work(context.Background(), handlers, client.WorkOptions{Concurrency: 16, Lease: lease, Grace: time.Second}); err != nil {
		log.Fatal(err)
	}
}

// until works until there is a file, on and on even when it should stop.
func until(_ context.Context, t *client.LeasedTask) (any, error) {
	var payload struct{ File string }
	if err := json.Unmarshal(t.Payload, &payload); err != nil {
		return nil, err
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		if _, err := os.Stat(payload.File); err == nil {
			break
		}
	}
	return nil, nil
}

func odd(_ context.Context, t *client.LeasedTask) (any, error) {
	var payload struct{ Kind string }
	if err := json.Unmarshal(t.Payload, &payload); err != nil {
		return nil, err
	}
	switch payload.Kind {
	case "large":
		return strings.Repeat("x", 64<<10), nil
	case "type":
		return make(chan int), nil
	case "cycle":
		ring := map[string]any{}
		ring["ring"] = ring
		return ring, nil
	case "nan":
		return math.NaN(), nil
	case "text":
		return json.RawMessage(`{"half of it`), nil
	case "deep":
		return json.RawMessage(strings.Repeat("[", 100) + strings.Repeat("]", 100)), nil
	case "nul":
		return nil, errors.New("a\x00b")
	case "half":
		return nil, errors.New("a\xffb")
	case "mute":
		return nil, mute{}
	case "number":
		return nil, unknown{errors.New("of no category")}
	}
	runtime.Goexit()
	return nil, nil
}
