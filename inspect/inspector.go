// Package inspect shows what is there and changes it on behalf of people: tasks, dead
// letters, queues, policies, schedules, alerts, targets, nodes and the rest, one type for
// each noun.
//
// outlast.Client has an [Inspector]. Its actions work from any node, also before the client
// starts, and wake the node that owns the task. Each leaves a row in the audit log. Errors
// are [task.Error], with a code: "invalid" where what was asked for is wrong, "not_found",
// "conflict", and "unavailable" where the store does not answer.
//
// The nouns are interfaces, so that this package is what they say and nothing of how. A minor
// version may add methods to them: embed one where a test stands in for it.
//
// Stability: stable. Names and their meaning stay within a major version.
package inspect

// Inspector is all nouns of one node. It and they are safe for concurrent use.
type Inspector struct {
	Tasks      Tasks
	Steps      Steps
	TaskGroups TaskGroups
	Letters    Letters
	Operations Operations
	Queues     Queues
	Keys       Keys
	Policies   Policies
	Schedules  Schedules
	Alerts     *Alerts
	Targets    Targets
	Nodes      Nodes
	Workers    Workers
	Tokens     Tokens
	Stats      Stats
	Audit      Audit
	Events     Events
	Store      Store
}
