package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// followEvery is how often an operation is looked at.
const followEvery = 200 * time.Millisecond

// Follow tells how an operation comes on, until it has ended or is paused.
func (c *Env) Follow(ctx context.Context, api *client.Client, id string) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	last := ""
	for {
		operation, err := api.Operation(ctx, id)
		if err != nil {
			return err
		}
		if now := progressOf(operation); now != last {
			last = now
			c.Say("%s", now)
		}
		switch operation.State {
		case "done":
			return nil
		case "failed", "canceled":
			c.Say("for the outcome of each: outlast operation items %s", Clean(id))
			return errors.New(Clean(strings.TrimSuffix("the operation ended as "+operation.State+": "+operation.Error, ": ")))
		case "paused":
			c.Say("to continue: outlast operation resume %s", Clean(id))
			return errors.New(Clean(strings.TrimSuffix("the operation is paused: "+operation.Error, ": ")))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// progressOf is one line about how far an operation has come.
func progressOf(o *client.Operation) string {
	line := fmt.Sprintf("%s: %d of %d", o.State, o.Done, o.Matched)
	if o.Kind == "redrive" {
		line = fmt.Sprintf("%s: %d of %d redriven", o.State, o.Sent, o.Matched)
	}
	for _, part := range []struct {
		n    *int
		what string
	}{{&o.Changed, "changed"}, {&o.Skipped, "skipped"}, {o.Succeeded, "succeeded so far"}, {o.Failing, "failed again so far"}} {
		if part.n != nil && *part.n > 0 {
			line += fmt.Sprintf(", %d %s", *part.n, part.what)
		}
	}
	if o.Waiting != "" {
		line += "; " + o.Waiting
	}
	return Clean(line)
}
