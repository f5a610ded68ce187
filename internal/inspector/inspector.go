// Package inspector is what stands behind package inspect: what people ask a node for and
// change, a type for each noun.
package inspector

import "github.com/outlast-dev/outlast/inspect"

// New makes the inspector of a node. It reads and writes nothing. All fields of the
// configuration are required; what they are made of need not have started.
func New(config Config) *inspect.Inspector {
	n := &node{config}
	return &inspect.Inspector{
		Tasks: &Tasks{n}, Steps: &Steps{n}, TaskGroups: &TaskGroups{n}, Letters: &Letters{n}, Operations: &Operations{n}, Queues: &Queues{n}, Keys: &Keys{n},
		Policies: &Policies{n}, Schedules: &Schedules{n}, Targets: &Targets{n}, Nodes: &Nodes{n}, Workers: &Workers{n},
		Alerts: &inspect.Alerts{AlertEvents: &Alerts{n}, Rules: &AlertRules{n}, Channels: &AlertChannels{n}, Silences: &AlertSilences{n}},
		Tokens: &Tokens{n}, Stats: &Stats{n}, Audit: &Audit{n}, Events: &Events{n}, Store: &Store{n},
	}
}
