package server

import (
	"cmp"

	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/server/internal/alerts"
	"github.com/outlast-dev/outlast/server/internal/audit"
	"github.com/outlast-dev/outlast/server/internal/events"
	"github.com/outlast-dev/outlast/server/internal/groups"
	"github.com/outlast-dev/outlast/server/internal/health"
	"github.com/outlast-dev/outlast/server/internal/letters"
	"github.com/outlast-dev/outlast/server/internal/nodes"
	"github.com/outlast-dev/outlast/server/internal/operations"
	"github.com/outlast-dev/outlast/server/internal/policies"
	"github.com/outlast-dev/outlast/server/internal/queues"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/schedules"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/server/internal/simulation"
	"github.com/outlast-dev/outlast/server/internal/statistics"
	"github.com/outlast-dev/outlast/server/internal/targets"
	"github.com/outlast-dev/outlast/server/internal/taskgroups"
	"github.com/outlast-dev/outlast/server/internal/tasks"
	"github.com/outlast-dev/outlast/server/internal/tokens"
	"github.com/outlast-dev/outlast/server/internal/workers"
)

// table makes the calls of the API, noun by noun.
func table(config *Config, simulator *simulation.Simulator) *route.Table {
	node, all := config.Client, config.Client.Inspector()
	bounds := scope.NewBounds(all.Nodes, all.Tasks)
	self := func() string { return node.Stats().Node }
	to := route.NewTable(config.Version, bounds)
	tasks.Add(to, node, all.Tasks, all.Steps, bounds)
	taskgroups.Add(to, all.TaskGroups)
	letters.Add(to, all.Letters, all.Tasks, bounds)
	operations.Add(to, all.Operations)
	queues.Add(to, all.Queues, all.Keys)
	policies.Add(to, all.Policies)
	schedules.Add(to, all.Schedules, all.Tasks)
	targets.Add(to, all.Targets)
	statistics.Add(to, all.Stats, all.Queues, all.Letters, all.Nodes)
	simulator.Add(to)
	alerts.Add(to, all.Alerts)
	nodes.Add(to, all.Nodes, serving.Of(node))
	workers.Add(to, node.Workers(), all.Tasks, bounds)
	workers.AddList(to, all.Workers, all.Queues)
	groups.Add(to, node.Workers())
	tokens.Add(to, all.Tokens)
	safety := cmp.Or(config.Safety, ByDatabaseServer)
	tokens.AddSelf(to, all.Nodes, tokens.Host{Version: to.Version(), Store: config.Store, Node: self, Mode: safety.Mode, Loss: safety.Loss})
	audit.Add(to, all.Audit)
	events.Add(to, events.Source{Feed: all.Events, Tasks: all.Tasks, Nodes: all.Nodes, Tokens: all.Tokens, Bounds: bounds, Node: self, Version: to.Version()})
	health.Add(to, health.Config{Node: node, Inspect: all, Store: config.Store, File: config.Configuration, Files: config.Files, Log: config.Logger})
	return to
}
