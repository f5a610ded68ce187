package main

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/client"
)

// groupTarget begins the names of the targets that stand for worker groups.
const groupTarget = "group:"

// examineGroups tells of the worker groups in which nobody takes tasks, as the server
// asked knows them.
func (r *report) examineGroups(ctx context.Context, api *client.Client) {
	groups, err := api.Groups(ctx)
	if err != nil {
		r.add("groups", fails, err.Error(), "")
		return
	}
	troubled := false
	for i := range groups {
		if group := &groups[i]; group.Failures > 0 {
			troubled = true
			r.add("groups", warns, fmt.Sprintf("nobody in %s takes tasks (%s), %s; the next try is at %s", group.Name, group.Kind, waitingIn(ctx, api, group.Name), when(group.NextAt)),
				"start members; see: outlast group members "+group.Name)
		}
	}
	if !troubled && len(groups) > 0 {
		r.add("groups", fine, plural(len(groups), "group")+", each takes tasks", "")
	}
}

// waitingIn says how many tasks the nodes hold for a group: those that they have in
// memory, beside the one that tries.
func waitingIn(ctx context.Context, api *client.Client, group string) string {
	targets, err := api.Targets(ctx, 500)
	if err != nil {
		return "how many wait is not known"
	}
	count := 0
	for i := range targets.Targets {
		if targets.Targets[i].Name != groupTarget+group {
			continue
		}
		for _, node := range targets.Targets[i].Nodes {
			count += node.InFlight + node.Waiting.Breaker + node.Waiting.Budget + node.Waiting.Rate + node.Waiting.Concurrency
		}
	}
	return "at least " + plural(count, "task") + " held"
}
