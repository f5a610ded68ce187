package route

import "github.com/danielgtaylor/huma/v2"

// tags are what the calls are about.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "alerts", Description: "Rules, channels, silences and messages: when people are told, and what they were told."},
		{Name: "audit", Description: "Who did what to what."},
		{Name: "dead letters", Description: "Tasks that were given up and are kept: find, group, redrive and purge them."},
		{Name: "events", Description: "What happens, as it happens."},
		{Name: "groups", Description: "Worker groups: endpoints that tasks are sent to, and their beats."},
		{Name: "health", Description: "For probes and monitoring, and the description of the API."},
		{Name: "nodes", Description: "The processes that own lanes and start tasks."},
		{Name: "operations", Description: "Long actions on many tasks or dead letters, which outlive their nodes."},
		{Name: "policies", Description: "Retry policies and their versions: plan, put, try and promote them."},
		{Name: "queues", Description: "Named streams of tasks, with their limits, share keys and blocked ordering keys."},
		{Name: "schedules", Description: "Tasks that are enqueued by the clock."},
		{Name: "simulator", Description: "Storms and recorded tasks played again under other policies."},
		{Name: "stats", Description: "How things stand, and went."},
		{Name: "targets", Description: "What tasks call: breakers, budgets and limits, and orders to them."},
		{Name: "task groups", Description: "Groups of tasks with one callback when all have ended."},
		{Name: "tasks", Description: "Enqueue tasks, find them and act on them."},
		{Name: "tokens", Description: "Who may call what."},
		{Name: "workers", Description: "For remote workers: take tasks, keep their steps, and say how attempts ended."},
	}
}
