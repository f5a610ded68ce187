package alert

import "slices"

// Variable is a name that an expression can use.
type Variable struct {
	Name string
	Type string // string, int, double, bool, duration or map
	Doc  string
	On   []On // the rules that can use it
}

// variables lists all, in the order of the documentation. A variable that
// the kind of rule does not set is unknown to its expressions.
var variables = []Variable{
	{"event", "string", "what has happened: retry or dead", []On{OnTask}},
	{"type", "string", "the task's type", []On{OnDead, OnRetry, OnCrash, OnType, OnChange}},
	{"queue", "string", "the queue", []On{OnDead, OnRetry, OnCrash, OnQueue, OnBlocked}},
	{"target", "string", "what the task calls: the host, or the type", []On{OnDead, OnRetry, OnBreaker, OnTarget}},
	{"key", "string", "the ordering key; of `key`: the name of the encryption key, empty where tasks are damaged or in the clear", []On{OnDead, OnRetry, OnBlocked, OnKey}},
	{"policy", "string", "the policy that the task names", []On{OnDead, OnRetry}},
	{"attempt", "int", "the attempt that has ended, from 1; of a change: its number, 5 for all from the fifth on", []On{OnDead, OnRetry, OnCrash, OnChange}},
	{"max_attempts", "int", "the limit that holds, 0 for none", []On{OnDead, OnRetry}},
	{"crashes", "int", "processes that the task has seen die", []On{OnDead, OnCrash}},
	{"age", "duration", "the time since the task was accepted", []On{OnDead, OnRetry}},
	{"delay", "duration", "the wait until the next attempt", []On{OnRetry}},
	{"reason", "string", "why it died: exhausted, permanent, expired, crash_loop, no_handler, rejected", []On{OnDead}},
	{"category", "string", "the category of the failure", []On{OnDead, OnRetry, OnCategory}},
	{"code", "string", "HTTP status, SQLSTATE or errno of the failure, such as EMFILE", []On{OnDead, OnRetry, OnResources}},
	{"status", "int", "the code as a number, 0 if it is none", []On{OnDead, OnRetry}},
	{"error_type", "string", "the class of the error", []On{OnDead, OnRetry}},
	{"message", "string", "the text of the failure", []On{OnDead, OnRetry}},
	{"fingerprint", "string", "the group of the failure", []On{OnDead, OnRetry}},
	{"metadata", "map", "the task's metadata, text by name", []On{OnDead, OnRetry}},
	{"follows", "string", "as what the task follows another: fallback, on_success, on_dead, or empty", []On{OnDead, OnRetry}},
	{"parent", "string", "the id of that task", []On{OnDead, OnRetry}},
	{"state", "string", "the new state: of a breaker (open, half_open, ramping, closed), of an operation (done, failed, canceled)", []On{OnBreaker, OnRedrive}},
	{"was", "string", "the breaker's state before", []On{OnBreaker}},
	{"cause", "string", "why it changed, or why the node is gone", []On{OnBreaker, OnCrash, OnProcess}},
	{"node", "string", "the node that died, through which the worker had its tasks, or which lacks resources", []On{OnProcess, OnResources}},
	{"worker", "string", "the remote worker that let its leases end, empty for a node", []On{OnProcess}},
	{"tasks", "int", "tasks that ran in it, as one node took them over", []On{OnProcess}},
	{"calls", "int", "calls that the node could not make since it told of that last, ten seconds before at the least", []On{OnResources}},
	{"matched", "int", "letters that the redrive found", []On{OnRedrive}},
	{"done", "int", "letters that it has handled", []On{OnRedrive}},
	{"schedule", "string", "the name of the schedule", []On{OnSchedule}},
	{"missed", "int", "ticks that were missed", []On{OnSchedule}},

	{"total", "int", "dead letters", []On{OnLetters}},
	{"by_type", "map", "dead letters by type", []On{OnLetters}},
	{"by_reason", "map", "dead letters by reason", []On{OnLetters}},
	{"by_category", "map", "dead letters by category", []On{OnLetters}},
	{"backlog", "int", "pending tasks but for parked ones, counted to 10 000", []On{OnQueue}},
	{"oldest_due", "duration", "how long the oldest task has been due", []On{OnQueue}},
	{"stranded", "int", "types of tasks that wait in it and no living node can start", []On{OnQueue}},
	{"owned", "bool", "some node works on the queue", []On{OnQueue}},
	{"paused", "bool", "the queue is paused", []On{OnQueue}},
	{"mode", "string", "how the key is held: block or park", []On{OnBlocked}},
	{"letter", "string", "the id of the dead letter that blocks the key", []On{OnBlocked}},
	{"held", "duration", "how long the key has been blocked", []On{OnBlocked}},
	{"living", "int", "members of the group that beat", []On{OnGroup}},
	{"waiting", "int", "tasks that wait for the group, for the encryption key, or behind the ordering key (counted to 1000)", []On{OnGroup, OnBlocked, OnKey}},
	{"failing", "duration", "how long dispatches to the group have failed without a success", []On{OnGroup}},
	{"group", "string", "the worker group", []On{OnGroup}},
	{"attempts", "int", "attempts that ended in the last minute", []On{OnTarget, OnType, OnCategory}},
	{"failures", "int", "those of them that failed", []On{OnTarget, OnType, OnCategory}},
	{"retries", "int", "those of them that were no first attempts", []On{OnTarget, OnType}},
	{"rate", "double", "attempts per second in the last minute", []On{OnTarget, OnType, OnCategory}},
	{"failure_share", "double", "failures / attempts, 0 to 1", []On{OnTarget, OnType, OnCategory}},
	{"retry_share", "double", "retries / attempts, 0 to 1", []On{OnTarget, OnType}},
	{"retry_growth", "double", "retries of the last minute / those of a minute in the five before it; at least one is taken to have been there", []On{OnTarget, OnType}},
	{"p99", "duration", "99 of 100 attempts of the last minute took no longer; of a change: of those after it", []On{OnTarget, OnType, OnChange}},
	{"p99_growth", "double", "p99 of the last minute / that of the five before it, 1 if nothing is known; of a change: p99 / p99_before", []On{OnTarget, OnType, OnChange}},
	{"p99_before", "duration", "99 of 100 attempts before the change took no longer", []On{OnChange}},
	{"samples", "int", "attempts before or after the change, of the side that has fewer", []On{OnChange}},
	{"by", "string", "what has changed: release or policy_version", []On{OnChange}},
	{"from", "string", "the release or policy version before, such as 1.4 or payment@3", []On{OnChange}},
	{"to", "string", "the one after, in force for a day at most", []On{OnChange}},
}

// Variables lists what expressions can use.
func Variables() []Variable { return slices.Clone(variables) }

// on reports whether rules of a kind can use the variable. The rule of a task
// can use what events of tasks set; what an event does not set is empty there.
func (v *Variable) on(on On) bool {
	if on == OnTask && (slices.Contains(v.On, OnDead) || slices.Contains(v.On, OnRetry)) {
		return true
	}
	return slices.Contains(v.On, on)
}
