// Package inspect shows what is there and changes it on behalf of people: tasks, dead
// letters, queues, policies, schedules, alerts, targets, nodes and the rest, one type for
// each noun.
//
// outlast.Client has an [Inspector]. Its actions work from any node, also before the client
// starts, and wake the node that owns the task. Each leaves a row in the audit log. Errors
// are [task.Error], with a code: "invalid" where what was asked for is wrong, "not_found",
// "conflict", and "unavailable" where the store does not answer.
package inspect

// Inspector is all nouns of one node. It and they are safe for concurrent use.
type Inspector struct {
	Tasks      *Tasks
	Letters    *Letters
	Operations *Operations
	Queues     *Queues
	Keys       *Keys
	Policies   *Policies
	Schedules  *Schedules
	Alerts     *Alerts
	Targets    *Targets
	Nodes      *Nodes
	Tokens     *Tokens
	Stats      *Stats
	Audit      *Audit
	Store      *Store
}

// New makes the inspector of a node. It reads and writes nothing. All fields of the
// configuration are required; what they are made of need not have started.
func New(config Config) *Inspector {
	n := &node{config}
	return &Inspector{
		Tasks: &Tasks{n}, Letters: &Letters{n}, Operations: &Operations{n}, Queues: &Queues{n}, Keys: &Keys{n},
		Policies: &Policies{n}, Schedules: &Schedules{n}, Targets: &Targets{n}, Nodes: &Nodes{n},
		Alerts: &Alerts{Rules: &AlertRules{n}, Channels: &AlertChannels{n}, Silences: &AlertSilences{n}, node: n},
		Tokens: &Tokens{n}, Stats: &Stats{n}, Audit: &Audit{n}, Store: &Store{n},
	}
}
