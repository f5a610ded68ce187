// Package alerting is what a node does for alerts beside keeping their rules: it runs their
// steps, opens their channels and measures what rules ask for.
package alerting

import (
	"context"
	"errors"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/internal/outcome"
	"github.com/outlast-dev/outlast/task"
)

// Steps run the tasks of alerts, by their types: those of the channels that this node can
// send to, and those before. The keeper is asked for when one runs: it is made later. What
// a step lacked the means to do is handed to exhausted.
func Steps(channels []string, of func() *keeper.Keeper, exhausted func(error) error) map[string]engine.Handler {
	steps := map[string]engine.Handler{}
	steps[alerts.TypeRaise] = step(func(ctx context.Context, t *task.Task) ([]byte, error) {
		return nil, of().Teller.Raise(ctx, t.ID, t.Payload)
	})
	steps[alerts.TypeDigest] = step(func(ctx context.Context, t *task.Task) ([]byte, error) {
		return nil, of().Teller.Digest(ctx, t.ID, t.Payload)
	})
	if expr.Linked() {
		steps[alerts.TypeConditions] = step(func(context.Context, *task.Task) ([]byte, error) { return nil, nil })
	}
	for _, name := range channels {
		steps[alerts.SendType(name)] = step(func(ctx context.Context, t *task.Task) ([]byte, error) {
			result, err := of().Sender.Send(ctx, t.ID, name, t.Payload)
			return result, exhausted(err)
		})
	}
	return steps
}

// step runs a step of an alert; one that must wait costs no attempt. Only
// the engine puts tasks into the queue of alerts: what is elsewhere is somebody's
// who would speak in its name, or silence it.
func step(do func(ctx context.Context, t *task.Task) ([]byte, error)) engine.Handler {
	return func(ctx context.Context, run *engine.Run) ([]byte, error) {
		if run.Task.Queue != alerts.Queue {
			return nil, outcome.GiveUp(errors.New("a task of an alert outside of the queue " + alerts.Queue))
		}
		result, err := do(ctx, run.Task)
		if later, ok := errors.AsType[*keeper.Later](err); ok {
			return nil, outcome.Snooze(later.After)
		}
		return result, err
	}
}
