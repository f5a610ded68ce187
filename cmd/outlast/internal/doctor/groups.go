package doctor

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

// examineGroups tells of the worker groups in which nobody takes tasks, as the server
// asked knows them.
func (r exam) examineGroups(ctx context.Context, api *client.Client) {
	groups, err := api.Groups(ctx)
	if err != nil {
		r.Add("groups", report.Fails, err.Error(), "")
		return
	}
	ready := 0
	for i := range groups {
		group := &groups[i]
		switch {
		case group.State == "ready":
			ready++
		case group.Failures == 0 && len(group.Members) > 0:
			r.Add("groups", report.Warns, fmt.Sprintf("no member of %s is alive: %s", group.Name, cli.Plural(len(group.Members), "silent member")),
				"start members; see: outlast group members "+group.Name)
		case group.Failures > 0:
			r.Add("groups", report.Warns, fmt.Sprintf("no member of %s takes tasks (%s), %s; next try at %s", group.Name, group.Kind, waitingIn(ctx, api, group.Name), cli.When(group.NextAt)),
				"start members; see: outlast group members "+group.Name)
		}
	}
	if ready > 0 {
		r.Add("groups", report.Fine, cli.Plural(ready, "group")+" with members that take tasks", "")
	}
}

// waitingIn says how many tasks the nodes hold for a group: those that they have in
// memory, beside the one that tries.
func waitingIn(ctx context.Context, api *client.Client, group string) string {
	targets, err := api.Targets(ctx, 500)
	if err != nil {
		return "number of waiting tasks unknown"
	}
	count := 0
	for i := range targets.Targets {
		if targets.Targets[i].Name != cli.GroupTarget+group {
			continue
		}
		for _, node := range targets.Targets[i].Nodes {
			count += node.InFlight + node.Waiting.Breaker + node.Waiting.Budget + node.Waiting.Rate + node.Waiting.Concurrency
		}
	}
	return "at least " + cli.Plural(count, "task") + " held"
}
