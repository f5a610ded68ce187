package alerts

import (
	"slices"

	"github.com/outlast-dev/outlast/alert"
)

// Variable is a name that an expression can use.
type Variable struct {
	Name string
	Type string // string, int, double, bool, duration or map
	Doc  string
	On   []alert.On // the rules that can use it
}

// variables lists all, in the order of the documentation. A variable that
// the kind of rule does not set is unknown to its expressions.
var variables = []Variable{
	{"event", "string", "what has happened: retry or dead", []alert.On{alert.OnTask}},
	{"type", "string", "the task's type", []alert.On{alert.OnDead, alert.OnRetry, alert.OnCrash, alert.OnType, alert.OnChange}},
	{"queue", "string", "the queue", []alert.On{alert.OnDead, alert.OnRetry, alert.OnCrash, alert.OnQueue, alert.OnBlocked}},
	{"target", "string", "what the task calls: the host, or the type", []alert.On{alert.OnDead, alert.OnRetry, alert.OnBreaker, alert.OnTarget}},
	{"key", "string", "the ordering key; of `key`: the name of the encryption key, empty where tasks are damaged or in the clear", []alert.On{alert.OnDead, alert.OnRetry, alert.OnBlocked, alert.OnKey}},
	{"policy", "string", "the policy that the task names", []alert.On{alert.OnDead, alert.OnRetry}},
	{"attempt", "int", "the attempt that has ended, from 1; of a change: its number, 5 for all from the fifth on", []alert.On{alert.OnDead, alert.OnRetry, alert.OnCrash, alert.OnChange}},
	{"max_attempts", "int", "the limit that holds, 0 for none", []alert.On{alert.OnDead, alert.OnRetry}},
	{"crashes", "int", "processes that the task has seen die", []alert.On{alert.OnDead, alert.OnCrash}},
	{"age", "duration", "the time since the task was accepted", []alert.On{alert.OnDead, alert.OnRetry}},
	{"delay", "duration", "the wait until the next attempt", []alert.On{alert.OnRetry}},
	{"reason", "string", "why it died: exhausted, permanent, expired, crash_loop, no_handler, rejected", []alert.On{alert.OnDead}},
	{"category", "string", "the category of the failure", []alert.On{alert.OnDead, alert.OnRetry, alert.OnCategory}},
	{"code", "string", "HTTP status, SQLSTATE or errno of the failure, such as EMFILE", []alert.On{alert.OnDead, alert.OnRetry, alert.OnResources}},
	{"status", "int", "the code as a number, 0 if it is none", []alert.On{alert.OnDead, alert.OnRetry}},
	{"error_type", "string", "the class of the error", []alert.On{alert.OnDead, alert.OnRetry}},
	{"message", "string", "the text of the failure", []alert.On{alert.OnDead, alert.OnRetry}},
	{"fingerprint", "string", "the group of the failure", []alert.On{alert.OnDead, alert.OnRetry}},
	{"metadata", "map", "the task's metadata, text by name", []alert.On{alert.OnDead, alert.OnRetry}},
	{"follows", "string", "as what the task follows another: fallback, on_success, on_dead, or empty", []alert.On{alert.OnDead, alert.OnRetry}},
	{"parent", "string", "the id of that task", []alert.On{alert.OnDead, alert.OnRetry}},
	{"state", "string", "the new state: of a breaker (open, half_open, ramping, closed), of an operation (done, failed, canceled)", []alert.On{alert.OnBreaker, alert.OnRedrive}},
	{"was", "string", "the breaker's state before", []alert.On{alert.OnBreaker}},
	{"cause", "string", "why it changed, or why the node is gone", []alert.On{alert.OnBreaker, alert.OnCrash, alert.OnProcess}},
	{"node", "string", "the node that died, through which the worker had its tasks, or which lacks resources", []alert.On{alert.OnProcess, alert.OnResources}},
	{"worker", "string", "the remote worker that let its leases end, empty for a node", []alert.On{alert.OnProcess}},
	{"tasks", "int", "tasks that ran in it, as one node took them over", []alert.On{alert.OnProcess}},
	{"calls", "int", "calls that the node could not make since it told of that last, ten seconds before at the least", []alert.On{alert.OnResources}},
	{"matched", "int", "letters that the redrive found", []alert.On{alert.OnRedrive}},
	{"done", "int", "letters that it has handled", []alert.On{alert.OnRedrive}},
	{"schedule", "string", "the name of the schedule", []alert.On{alert.OnSchedule}},
	{"missed", "int", "ticks that were missed", []alert.On{alert.OnSchedule}},

	{"total", "int", "dead letters", []alert.On{alert.OnLetters}},
	{"by_type", "map", "dead letters by type", []alert.On{alert.OnLetters}},
	{"by_reason", "map", "dead letters by reason", []alert.On{alert.OnLetters}},
	{"by_category", "map", "dead letters by category", []alert.On{alert.OnLetters}},
	{"backlog", "int", "pending tasks but for parked ones, counted to 10 000", []alert.On{alert.OnQueue}},
	{"oldest_due", "duration", "how long the oldest task has been due", []alert.On{alert.OnQueue}},
	{"stranded", "int", "types of tasks that wait in it and no living node can start", []alert.On{alert.OnQueue}},
	{"owned", "bool", "some node works on the queue", []alert.On{alert.OnQueue}},
	{"paused", "bool", "the queue is paused", []alert.On{alert.OnQueue}},
	{"mode", "string", "how the key is held: block or park", []alert.On{alert.OnBlocked}},
	{"letter", "string", "the id of the dead letter that blocks the key", []alert.On{alert.OnBlocked}},
	{"held", "duration", "how long the key has been blocked", []alert.On{alert.OnBlocked}},
	{"living", "int", "members of the group that beat", []alert.On{alert.OnGroup}},
	{"waiting", "int", "tasks that wait for the group, for the encryption key, or behind the ordering key (counted to 1000)", []alert.On{alert.OnGroup, alert.OnBlocked, alert.OnKey}},
	{"failing", "duration", "how long dispatches to the group have failed without a success", []alert.On{alert.OnGroup}},
	{"group", "string", "the worker group", []alert.On{alert.OnGroup}},
	{"attempts", "int", "attempts that ended in the last minute", []alert.On{alert.OnTarget, alert.OnType, alert.OnCategory}},
	{"failures", "int", "those of them that failed", []alert.On{alert.OnTarget, alert.OnType, alert.OnCategory}},
	{"retries", "int", "those of them that were no first attempts", []alert.On{alert.OnTarget, alert.OnType}},
	{"rate", "double", "attempts per second in the last minute", []alert.On{alert.OnTarget, alert.OnType, alert.OnCategory}},
	{"failure_share", "double", "failures / attempts, 0 to 1", []alert.On{alert.OnTarget, alert.OnType, alert.OnCategory}},
	{"retry_share", "double", "retries / attempts, 0 to 1", []alert.On{alert.OnTarget, alert.OnType}},
	{"retry_growth", "double", "retries of the last minute / those of a minute in the five before it; at least one is taken to have been there", []alert.On{alert.OnTarget, alert.OnType}},
	{"p99", "duration", "99 of 100 attempts of the last minute took no longer; of a change: of those after it", []alert.On{alert.OnTarget, alert.OnType, alert.OnChange}},
	{"p99_growth", "double", "p99 of the last minute / that of the five before it, 1 if nothing is known; of a change: p99 / p99_before", []alert.On{alert.OnTarget, alert.OnType, alert.OnChange}},
	{"p99_before", "duration", "99 of 100 attempts before the change took no longer", []alert.On{alert.OnChange}},
	{"samples", "int", "attempts before or after the change, of the side that has fewer", []alert.On{alert.OnChange}},
	{"by", "string", "what has changed: release or policy_version", []alert.On{alert.OnChange}},
	{"from", "string", "the release or policy version before, such as 1.4 or payment@3", []alert.On{alert.OnChange}},
	{"to", "string", "the one after, in force for a day at most", []alert.On{alert.OnChange}},
}

// Variables lists what expressions can use.
func Variables() []Variable { return slices.Clone(variables) }

// on reports whether rules of a kind can use the variable. The rule of a task
// can use what events of tasks set; what an event does not set is empty there.
func (v *Variable) on(on alert.On) bool {
	if on == alert.OnTask && (slices.Contains(v.On, alert.OnDead) || slices.Contains(v.On, alert.OnRetry)) {
		return true
	}
	return slices.Contains(v.On, on)
}
