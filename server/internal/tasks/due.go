package tasks

import (
	"context"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type dueInput struct{ Body client.Due }

func (c *calls) addRunDue(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/tasks/run_due", ID: "run-due-tasks", Needs: inspect.PermissionOperate, Scope: scope.ByBody, Tag: "tasks", Endless: true,
		Summary: "Work what is due once",
		About: "For who brings a timer of his own. It answers when what was due as the call began has come to an end, or when nothing of it moves for a second; a server works such tasks by itself too, and then only the counts tell more. " +
			"What a target, a paused queue or an ordering key holds back is left. One such call at a time works on a node.",
		Errors: []task.Code{task.CodeConflict},
	}, c.runDue)
}

func (c *calls) runDue(ctx context.Context, in *dueInput) (*route.Answer[client.DueCounts], error) {
	due := outlast.Due{Queues: in.Body.Queues, Types: in.Body.Types, Since: in.Body.Since.Time, Limit: in.Body.Limit}
	if t := scope.Narrow(ctx); t != nil {
		for _, queue := range due.Queues {
			if !t.Covers(queue) {
				return nil, scope.Outside(t, "queues")
			}
		}
		if len(due.Queues) == 0 {
			own, err := c.bounds.Queues(ctx, t)
			if err != nil || len(own) == 0 {
				return &route.Answer[client.DueCounts]{}, err
			}
			due.Queues = own
		}
	}
	counts, err := c.node.RunDue(ctx, due)
	if err != nil {
		return nil, err
	}
	return route.OK(client.DueCounts(counts))
}
