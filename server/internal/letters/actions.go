package letters

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type redriveInput struct{ Body client.Redrive }

type purgeInput struct{ Body client.Purge }

func (c *calls) addActions(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/dead/redrive", ID: "redrive-dead", Needs: inspect.PermissionOperate, Scope: scope.ByBody, Tag: "dead letters", Answers: []int{202},
		Summary: "Redrive dead letters, by ids or by filter",
		About: "A redrive by filter, and one with rate, canary or stop_if_failing, is an operation that survives a restart; follow it under /v1/operations. A dry run only counts, shows the first ones, and warns of what speaks against the redrive. " +
			"A filter means letters that are dead when the redrive begins: with the died_before of the dry run, those that were counted.",
		Errors: []task.Code{task.CodeConflict},
	}, c.redrive)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/dead/purge", ID: "purge-dead", Needs: inspect.PermissionOperate, Scope: scope.ByBody, Tag: "dead letters",
		Summary: "Delete dead letters forever, by ids or by filter", About: "An empty filter object means every letter; no filter at all is refused. " +
			"A filter means letters that are dead when the purge begins: with the died_before of the dry run, those that were counted.",
	}, c.purge)
}

// chosen refuses a request that names neither ids nor a filter, or both.
func chosen(ids []task.ID, filter *client.DeadFilter) error {
	switch {
	case len(ids) > 0 && filter != nil:
		return task.Invalid("filter", "ids and filter are both given", "give one of them")
	case len(ids) == 0 && filter == nil:
		return task.Invalid("filter", "neither ids nor a filter is given", `the filter {} means every dead letter`)
	}
	return nil
}

func (c *calls) redrive(ctx context.Context, in *redriveInput) (*route.Answer[client.Redriven], error) {
	if err := chosen(in.Body.IDs, in.Body.Filter); err != nil {
		return nil, err
	}
	ids, filter, others, err := c.bounds.Chosen(ctx, in.Body.IDs, query.DeadFilterOf(in.Body.Filter))
	if err != nil {
		return nil, err
	}
	if filter == nil && len(ids) == 0 {
		return route.OK(client.Redriven{DryRun: in.Body.DryRun, Missing: others})
	}
	result, err := c.letters.Redrive(ctx, inspect.RedriveRequest{
		IDs: ids, Filter: filter, DryRun: in.Body.DryRun, Rate: in.Body.Rate,
		Canary: in.Body.Canary, StopIfFailing: in.Body.StopIfFailing, KeepAttempts: in.Body.KeepAttempts, Payload: in.Body.Payload,
	})
	if err != nil {
		return nil, query.InFilter[client.DeadFilter](err)
	}
	return route.OK(client.Redriven{
		Operation: result.Operation, Matched: result.Matched, DryRun: in.Body.DryRun, Missing: append(result.Missing, others...),
		Sample: wireSamples(result.Sample, time.Now()), DiedBefore: wire.Time(result.DiedBefore),
		Warnings: wireWarnings(result.Warnings),
	})
}

func (c *calls) purge(ctx context.Context, in *purgeInput) (*route.Answer[client.Purged], error) {
	if err := chosen(in.Body.IDs, in.Body.Filter); err != nil {
		return nil, err
	}
	ids, chosen, _, err := c.bounds.Chosen(ctx, in.Body.IDs, query.DeadFilterOf(in.Body.Filter))
	if err != nil {
		return nil, err
	}
	filter := store.Filter{IDs: ids}
	if chosen != nil {
		filter = *chosen
	} else if len(ids) == 0 {
		return route.OK(client.Purged{DryRun: in.Body.DryRun})
	}
	result, err := c.letters.Purge(ctx, filter, in.Body.DryRun)
	if err != nil {
		return nil, query.InFilter[client.DeadFilter](err)
	}
	return route.OK(client.Purged{Matched: result.Matched, DryRun: in.Body.DryRun, DiedBefore: wire.Time(result.DiedBefore)})
}

func wireSamples(samples []inspect.LetterSample, now time.Time) []client.RedriveSample {
	out := make([]client.RedriveSample, len(samples))
	for i, s := range samples {
		out[i] = client.RedriveSample{
			ID: s.ID, Type: s.Type, Queue: s.Queue, Key: s.Key, Reason: string(s.Reason), Category: s.Category, Message: s.Message,
			DiedAt: wire.Time(s.DiedAt), Age: max(0, now.Sub(s.DiedAt)).Truncate(time.Second).String(),
		}
	}
	return out
}

func wireWarnings(warnings []inspect.RedriveWarning) []client.RedriveWarning {
	out := make([]client.RedriveWarning, len(warnings))
	for i, w := range warnings {
		out[i] = client.RedriveWarning{Code: string(w.Code), Letters: w.Letters, Of: w.Of, Target: w.Target}
	}
	return out
}
