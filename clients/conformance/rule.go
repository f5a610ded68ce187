package main

import "slices"

// rule is what a worker has to do, or should.
type rule struct {
	ID     string `json:"rule"`
	Must   bool   `json:"must"`   // a worker that breaks it loses tasks, runs them twice, or is refused; else it is advice
	Says   string `json:"says"`   // one sentence
	Reason string `json:"reason"` // one sentence
}

// rules are all that is judged, in the order of the report.
var rules = []rule{
	{"valid-calls", true, "Each call is one that the API takes.", "The server refuses any other as a whole, with 400."},
	{"token", true, "Each call has the token.", "Without it the server answers 401."},
	{"own-name", true, "Each process has a name of its own, the same in all of its polls.", "People find a worker by its name."},
	{"free-slots", true, "A poll asks for no more tasks than the worker has free slots.", "A leased task that does not start is one that nobody else can start."},
	{"poll-again", true, "A poll that fails is followed by the next one.", "A node restarts, and its workers must outlive that."},
	{"retry-after", false, "After an answer with `Retry-After` the next call does not come sooner.", "A busy server asks for room."},
	{"denied", true, "A refused token ends the process, with an exit code that is not 0.", "It would go on taking tasks that it cannot end."},
	{"unknown-fields", true, "Fields that the worker does not know are no error.", "Newer servers send more of them."},
	{"beyond-max", false, "A task beyond `max` is run or released.", "One that is dropped waits for the end of its lease, and counts as a crash."},
	{"late-task", true, "A task is not started when its lease may be over.", "Somebody else may be running it. The lease counts from before the poll was sent."},
	{"server-clock", true, "Times of the server are compared with each other only.", "Clocks differ, by hours where one is wrong."},
	{"attempt-ends", false, "A handler is told to stop when `attempt_ends` has come.", "Once the node that leased the task has gone, nobody else keeps that time."},

	{"exact-claim", true, "Calls name the id and the claim as they came.", "They say which attempt is meant."},
	{"run-once", true, "A claim is started once.", "Whatever calls are repeated, the work is not."},
	{"new-claim", true, "The same task under a new claim is an attempt of its own beside the old one.", "A lost lease leaves the old handler running for a while."},

	{"outcomes", true, "The outcome says how the handler ended, and the result is what it gave.", "The server decides by it what follows."},
	{"bad-result", true, "A result that cannot be encoded fails its own task, with the code `bad_result`, and no other.", "Trying again would give the same, and the others are done."},
	{"settle-again", true, "A settle whose answer was lost is sent again.", "Else the work is done again when the lease has ended."},
	{"settle-same", true, "What is sent again is the same.", "The server takes a repeat as one only if it has the same outcome."},
	{"refused-batch", true, "Of results that are refused with 400 the wrong one is failed with `bad_result`, and the others are told.", "One wrong result must not cost the others."},
	{"stale-settle", true, "A result that is answered `stale_claim` is dropped, and the worker goes on.", "The task is somebody else's now."},

	{"extend", true, "Leases of running tasks are extended before they end, also after an extension failed.", "A task whose lease has ended runs elsewhere."},
	{"extend-busy", true, "Leases are extended and tasks started while a settle waits for its answer.", "One slow call must not cost other tasks."},
	{"extend-untold", true, "A lease is extended until the server has answered how the attempt ended.", "Else the work is done again while its end is being told."},
	{"lost-lease", true, "After `stale_claim` or `not_found` the handler is told to stop, and the task is neither extended nor settled as succeeded.", "Somebody else may be running it."},
	{"silent-lease", true, "A handler is told to stop when no extension got through for a whole lease.", "The server may have given the task to another."},
	{"cancel", true, "After `canceled` the handler is told to stop, its lease is extended, and the task is settled as `canceled`.", "Somebody wants it to stop, and waits for it."},

	{"stop-exit", true, "After SIGTERM the process ends with exit code 0.", "A supervisor waits for it, then kills it."},
	{"stop-polls", true, "After SIGTERM there is no further poll.", "It would take tasks that the process has no time for."},
	{"stop-task", true, "A task that comes with the last poll is run or released.", "One that is dropped waits for the end of its lease, and counts as a crash."},
	{"stop-work", true, "A handler that ends within the grace time is settled as it ended, its lease is extended until then, and a lost answer is asked for again.", "Deploys would do work twice."},
	{"stop-grace", false, "After the grace time handlers are told to stop, and their tasks are released.", "Then others run them at once, at no cost."},

	{"steps-done", true, "A step that came with the task is not done again, and its result is used.", "That is what steps are for."},
	{"steps-kept", true, "A step is kept before the next one begins and before the task is settled, with repeats until that is answered.", "Else a kill does it again."},
	{"steps-lost", true, "A step that is answered `stale_claim` stops the handler: no further step, no success.", "Somebody else may be running the task."},
}

// always are the rules that every scenario judges.
var always = []string{"valid-calls", "token", "own-name", "free-slots", "exact-claim", "run-once", "settle-same", "stop-exit", "stop-polls"}

func ruleOf(id string) (rule, bool) {
	i := slices.IndexFunc(rules, func(r rule) bool { return r.ID == id })
	if i < 0 {
		return rule{}, false
	}
	return rules[i], true
}
