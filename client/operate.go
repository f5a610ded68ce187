package client

import (
	"encoding/json"
	"reflect"

	"github.com/outlast-dev/outlast/task"
)

// Filter selects tasks; fields that are zero do not filter. Reason and
// Fingerprint are for dead letters only.
type Filter struct {
	State   string
	Waiting string // why pending tasks do not run, such as "key blocked"; of tasks only
	DeadFilter
}

// DeadFilter selects dead letters in the body of a request.
type DeadFilter struct {
	Type        string `json:"type,omitempty" doc:"Of this type."`
	Queue       string `json:"queue,omitempty" doc:"Of this queue."`
	Key         string `json:"key,omitempty" doc:"Of this ordering key."`
	Category    string `json:"category,omitempty" doc:"Of the last error."`
	Trace       string `json:"trace,omitempty" doc:"Trace id."`
	Since       Time   `json:"since,omitzero" doc:"Created at or after."`
	Until       Time   `json:"until,omitzero" doc:"Created before."`
	Reason      string `json:"reason,omitempty" enum:"exhausted,permanent,expired,crash_loop,no_handler,rejected" doc:"That died for this reason."`
	Fingerprint string `json:"fingerprint,omitempty" doc:"With this fingerprint of the last error."`
	DiedBefore  Time   `json:"died_before,omitzero" doc:"Died before."`
	FailedSince Time   `json:"failed_since,omitzero" doc:"Failed last at or after; a dead letter did when it died."`
	FailedUntil Time   `json:"failed_until,omitzero" doc:"Failed last before."`
	Target      string `json:"target,omitempty" doc:"That call this target."`
	AttemptMin  int    `json:"attempt_min,omitempty" doc:"With at least so many attempts."`
	// Metadata are names with their values; all must be there.
	Metadata map[string]string `json:"metadata,omitempty" doc:"Names with their values; all must be there."`
	// Q is an ordering key or a type as it is, or a part of the last error's message,
	// in lists also an id or its beginning.
	Q string `json:"q,omitempty" doc:"An ordering key or a type as it is, or a part of the last error's message."`
}

// IsZero reports whether it selects everything.
func (f *DeadFilter) IsZero() bool { return reflect.ValueOf(*f).IsZero() }

// DeadStats counts dead letters.
type DeadStats struct {
	Total      int            `json:"total" doc:"All dead letters."`
	ByType     map[string]int `json:"by_type" doc:"Dead letters by type."`
	ByReason   map[string]int `json:"by_reason" doc:"Dead letters by why they died."`
	ByCategory map[string]int `json:"by_category" doc:"Dead letters by the category of their last error."`
}

// DeadGroup is what dead letters of one fingerprint have in common.
type DeadGroup struct {
	Fingerprint string  `json:"fingerprint" doc:"Equal for failures that are the same to a person."`
	Count       int     `json:"count" doc:"How many letters there are."`
	Type        string  `json:"type" doc:"Type of the example."`
	Reason      string  `json:"reason" enum:"exhausted,permanent,expired,crash_loop,no_handler,rejected" doc:"Of the letter that died last; the trend tells those of all."`
	Category    string  `json:"category" doc:"Category of the failure, such as network, timeout or permanent. New ones may come."`
	Message     string  `json:"message" doc:"Of the example."`
	FirstSeen   Time    `json:"first_seen" doc:"When the first of the letters died."`
	LastSeen    Time    `json:"last_seen" doc:"When the last of the letters died."`
	Example     task.ID `json:"example" doc:"Id of one of the letters."`
	// Trend is there where it is asked for.
	Trend *DeadTrend `json:"trend,omitempty" doc:"When, why and where the letters died; only where it is asked for."`
	// Error is the last one of the example; only of one group.
	Error *Failure `json:"error,omitempty" doc:"The last error of the example; only of one group."`
}

// DeadTrend is when, why and where letters of a group died. Only the newest 4 000 letters,
// 1 000 of a type or a group, by their creation are counted, of the group or, in a list, of all groups together.
type DeadTrend struct {
	Since     Time           `json:"since" doc:"The beginning of the first hour."`
	Hours     []int          `json:"hours" doc:"Letters by the hour of their death, the oldest first, the current one last."`
	Before    int            `json:"before" doc:"Letters that died earlier."`
	Counted   int            `json:"counted" doc:"All letters that were looked at; fewer than count where there are older ones."`
	ByReason  map[string]int `json:"by_reason" doc:"Why they died."`
	ByTarget  map[string]int `json:"by_target" doc:"At most 20 and (other)."`
	ByRelease map[string]int `json:"by_release" doc:"Of the node that ran the last attempt; (none) where it has no name, (unknown) where the node is long gone. At most 20 and (other)."`
}

// DeadGroups lists groups, most letters first.
type DeadGroups struct {
	Groups []DeadGroup `json:"groups" doc:"The groups, most letters first."`
}

// Redrive sends dead letters back to their queues: those of IDs, or those
// that match Filter.
type Redrive struct {
	IDs    []task.ID   `json:"ids,omitzero" given:"name some, or leave it out and give a filter" doc:"Ids of dead letters, at most 10000. Either this or filter is required."`
	Filter *DeadFilter `json:"filter,omitempty" doc:"Which dead letters; an empty object means all."`
	DryRun bool        `json:"dry_run,omitempty" doc:"Only count."`
	Rate   float64     `json:"rate,omitempty" doc:"Letters per second; 0 for all at once."`
	Canary int         `json:"canary,omitempty" doc:"How many letters go first, at most 1000; the others follow when all of these have succeeded. If one dies again the operation fails; if some have not ended after 10 minutes it pauses."`

	StopIfFailing float64 `json:"stop_if_failing,omitempty" doc:"A share, 0 to 1: the operation fails when more than this share of the letters redriven last has failed again, once 10 have an outcome; 0 for none. No more letters are without an outcome at a time than have one, 10 to 1000."`

	KeepAttempts bool            `json:"keep_attempts,omitempty" doc:"Go on counting attempts instead of starting again: each letter has the attempts that its policy leaves, and one more when all are spent."`
	Payload      json.RawMessage `json:"payload,omitempty" doc:"Replaces the payload of each letter."`
}

// Redriven says what a redrive does.
type Redriven struct {
	Operation string          `json:"operation" doc:"Id to follow under /v1/operations; empty when the redrive is already complete or was a dry run."`
	Matched   int             `json:"matched" doc:"Letters that are meant."`
	DryRun    bool            `json:"dry_run,omitempty" doc:"Nothing was changed."`
	Missing   []task.ID       `json:"missing,omitempty" doc:"Ids that are not dead letters."`
	Sample    []RedriveSample `json:"sample,omitempty" doc:"Of a dry run, the letters that would go first, at most 10."`

	DiedBefore Time `json:"died_before,omitzero" doc:"Of a dry run by filter: when it began to count. Give it as the filter's died_before, and no letters are meant that died since."`

	Warnings []RedriveWarning `json:"warnings,omitempty" doc:"Of a dry run, what speaks against the redrive now."`
}

// RedriveWarning is what speaks against a redrive.
type RedriveWarning struct {
	Code    string `json:"code" doc:"died_again: letters were redriven before, and died again with the same fingerprint. permanent: letters died of a permanent failure, and no release, policy or target is known to have changed since. breaker_open: the breaker of a target is open, and its letters would wait. New ones may come."`
	Letters int    `json:"letters" doc:"Letters to which it applies, of those that were looked at."`
	Of      int    `json:"of" doc:"How many letters were looked at: the newest that match. For breaker_open those that a trend counts, for the others at most 20."`
	Target  string `json:"target,omitempty" doc:"Of breaker_open: the target."`
}

// RedriveSample is a dead letter as a dry run shows it.
type RedriveSample struct {
	ID       task.ID `json:"id" doc:"Id of the task."`
	Type     string  `json:"type" doc:"Type of the task."`
	Queue    string  `json:"queue" doc:"Queue of the task."`
	Key      string  `json:"key,omitempty" doc:"Ordering key of the task."`
	Reason   string  `json:"reason" enum:"exhausted,permanent,expired,crash_loop,no_handler,rejected" doc:"Why it died."`
	Category string  `json:"category,omitempty" doc:"Of its last error."`
	Message  string  `json:"message,omitempty" doc:"Of its last error."`
	DiedAt   Time    `json:"died_at" doc:"When it died."`
	Age      string  `json:"age" doc:"Since its death, such as 2h15m."`
}

// Purge deletes dead letters for ever: those of IDs, or those that match
// Filter.
type Purge struct {
	IDs    []task.ID   `json:"ids,omitzero" given:"name some, or leave it out and give a filter" doc:"Ids of dead letters, at most 10000. Either this or filter is required."`
	Filter *DeadFilter `json:"filter,omitempty" doc:"Which dead letters; an empty object means all."`
	DryRun bool        `json:"dry_run,omitempty" doc:"Only count."`
}

// Purged says how many letters a purge deleted, or would delete.
type Purged struct {
	Matched    int  `json:"matched" doc:"Letters that were deleted, or would be."`
	DryRun     bool `json:"dry_run,omitempty" doc:"Nothing was deleted."`
	DiedBefore Time `json:"died_before,omitzero" doc:"Of a dry run by filter: when it began to count. Give it as the filter's died_before, and no letters are meant that died since."`
}

// TaskFilter selects tasks in the body of a request.
type TaskFilter struct {
	State       string `json:"state,omitempty" enum:"pending,running" doc:"pending, or for a cancel also running; without it every task to which the action can be done."`
	Type        string `json:"type,omitempty" doc:"Of this type."`
	Queue       string `json:"queue,omitempty" doc:"Of this queue."`
	Key         string `json:"key,omitempty" doc:"Ordering key."`
	Category    string `json:"category,omitempty" doc:"Of the last error."`
	Trace       string `json:"trace,omitempty" doc:"Trace id."`
	Since       Time   `json:"since,omitzero" doc:"Created at or after."`
	Until       Time   `json:"until,omitzero" doc:"Created before."`
	FailedSince Time   `json:"failed_since,omitzero" doc:"Failed last at or after. A task that fails again while the operation lists its tasks may be left out."`
	FailedUntil Time   `json:"failed_until,omitzero" doc:"Failed last before."`
	Target      string `json:"target,omitempty" doc:"That call this target."`
	AttemptMin  int    `json:"attempt_min,omitempty" doc:"With at least so many attempts."`
	// Metadata are names with their values; all must be there.
	Metadata map[string]string `json:"metadata,omitempty" doc:"Names with their values; all must be there."`
	Q        string            `json:"q,omitempty" doc:"An ordering key or a type as it is, or a part of the last error's message."`
}

// IsZero reports whether it selects everything.
func (f *TaskFilter) IsZero() bool { return reflect.ValueOf(*f).IsZero() }

// Due says what a call works that works once what is due.
type Due struct {
	Queues []string `json:"queues,omitempty" doc:"Of these queues; all that the node works on, or that the token is for, when absent."`
	Types  []string `json:"types,omitempty" doc:"Of these types; all when absent."`
	Since  Time     `json:"since,omitzero" doc:"Tasks that were due before that stay; no bound when absent."`
	Limit  int      `json:"limit,omitempty" doc:"Tasks that are taken at most, 1 to 1000000; 1000 when absent."`
}

// DueCounts is what has become of tasks that were due.
type DueCounts struct {
	Started   int `json:"started" doc:"Taken: one attempt each, or an end without one, as at a deadline that has passed. One that another node has taken over is counted here only."`
	Succeeded int `json:"succeeded" doc:"Tasks that succeeded."`
	Failed    int `json:"failed" doc:"Tasks that are tried again."`
	Dead      int `json:"dead" doc:"Tasks that died."`
	Snoozed   int `json:"snoozed" doc:"Tasks that wait as they asked for."`
	Canceled  int `json:"canceled" doc:"Tasks that were canceled."`
	Released  int `json:"released" doc:"Tasks that were handed back without cost."`
	Left      int `json:"left" doc:"Due tasks that match and are still pending, counted to 10000."`
}

// Bulk cancels, retries or reschedules many tasks: those of IDs, or those that match
// Filter.
type Bulk struct {
	Action string      `json:"action" enum:"cancel,retry,reschedule" doc:"cancel ends pending tasks and asks running ones to end; retry lets pending tasks run at once; reschedule moves the next run of pending tasks."`
	IDs    []task.ID   `json:"ids,omitzero" given:"name some, or leave it out and give a filter" doc:"At most 10000."`
	Filter *TaskFilter `json:"filter,omitempty" doc:"Tasks that match when the operation begins; those created later are not meant."`
	RunAt  Time        `json:"run_at,omitzero" doc:"Of a reschedule: when the tasks run next."`
	Delay  *Duration   `json:"delay,omitempty" doc:"The same, counted from now."`
	Reason string      `json:"reason,omitempty" doc:"For the audit log, at most 500 bytes."`
	DryRun bool        `json:"dry_run,omitempty" doc:"Only count."`
}

// Bulked says what an action on many tasks does.
type Bulked struct {
	Operation string       `json:"operation" doc:"Id to follow under /v1/operations; empty when it is complete or was a dry run."`
	Matched   int          `json:"matched" doc:"Tasks that were changed, or will be as far as their states allow."`
	AtLeast   bool         `json:"at_least,omitempty" doc:"There are more than matched: counting stops at 100000."`
	DryRun    bool         `json:"dry_run,omitempty" doc:"Nothing was changed."`
	Results   []BulkResult `json:"results,omitempty" doc:"Of up to 100 ids, what has become of each; of a dry run with ids, those to which the action cannot be done."`
	Sample    []BulkSample `json:"sample,omitempty" doc:"Of a dry run, the first tasks, at most 10."`
	Until     Time         `json:"until,omitzero" doc:"Of a dry run by filter: tasks created before were counted. Give it as the filter's until, and no other tasks are meant."`
}

// BulkResult is what has become of one task.
type BulkResult struct {
	ID     task.ID `json:"id" doc:"Id of the task."`
	Status string  `json:"status" enum:"changed,asked,left_running,left_ended,not_found" doc:"changed: was canceled, or its next run was moved. asked: was running, and was asked to end. left_running, left_ended: was left alone since it ran, or had ended. not_found: there is no such task."`
	State  string  `json:"state,omitempty" enum:"pending,running,succeeded,dead,canceled" doc:"What the task is now."`
}

// BulkSample is a task as a dry run shows it.
type BulkSample struct {
	ID          task.ID `json:"id" doc:"Id of the task."`
	Type        string  `json:"type" doc:"Type of the task."`
	Queue       string  `json:"queue" doc:"Queue of the task."`
	Key         string  `json:"key,omitempty" doc:"Ordering key of the task."`
	State       string  `json:"state" enum:"pending,running,succeeded,dead,canceled" doc:"State of the task."`
	Attempt     int     `json:"attempt" doc:"Attempts started and spent."`
	MaxAttempts int     `json:"max_attempts" doc:"What holds for this task, the first attempt included; 0 for unlimited."`
	RunAt       Time    `json:"run_at,omitzero" doc:"When it runs next."`
	Waiting     string  `json:"waiting,omitempty" doc:"Why a pending task is not running. New ones may come."`
	NextCheck   Time    `json:"next_check,omitzero" doc:"When it is looked at again why the task waits. Absent where nobody can know."`
	Category    string  `json:"category,omitempty" doc:"Of its last error."`
	Message     string  `json:"message,omitempty" doc:"Of its last error."`
}

// Operation is a long action of an operator.
type Operation struct {
	ID         string   `json:"id" doc:"Id of the operation."`
	Kind       string   `json:"kind" doc:"What it does: redrive, or an action on tasks. New ones may come."`
	State      string   `json:"state" enum:"running,paused,done,canceled,failed" doc:"running: it goes on. paused: it waits to be resumed. done: all is handled. canceled: somebody ended it. failed: it ended itself; error says why."`
	Matched    int      `json:"matched" doc:"Letters or tasks that matched when it began; at least so many while they are listed."`
	Done       int      `json:"done" doc:"Handled so far: sent or changed, and skipped."`
	Sent       int      `json:"sent" doc:"Letters that were redriven."`
	Changed    int      `json:"changed,omitempty" doc:"Of an action on tasks, those that were canceled or moved, or asked to end."`
	Skipped    int      `json:"skipped" doc:"Letters that were no dead letters any more when their turn came; tasks that were left alone since they ran, had ended or were gone."`
	Succeeded  *int     `json:"succeeded,omitempty" doc:"Of the last 1000 redriven, those that had succeeded when the operation looked last; only with canary or stop_if_failing, else nobody counts them."`
	Failing    *int     `json:"failing,omitempty" doc:"Of the last 1000 redriven, those that were dead again, or had failed and were to be repeated, when the operation looked last; only with canary or stop_if_failing, else nobody counts them. Its items tell how they stand now."`
	Waiting    string   `json:"waiting,omitempty" doc:"What a running operation waits for."`
	Error      string   `json:"error,omitempty" doc:"Why it failed, or paused by itself."`
	Request    *Redrive `json:"request,omitempty" doc:"What was asked for, of a redrive."`
	Bulk       *Bulk    `json:"bulk,omitempty" doc:"What was asked for, of an action on tasks."`
	Named      int      `json:"named,omitempty" doc:"How many ids were given, in place of a filter."`
	CreatedAt  Time     `json:"created_at" doc:"When it was asked for."`
	UpdatedAt  Time     `json:"updated_at,omitzero" doc:"When it changed last."`
	FinishedAt Time     `json:"finished_at,omitzero" doc:"When it ended; absent before."`
}

// OperationItem is what has become of one letter of a redrive, or of one task.
type OperationItem struct {
	Place   int      `json:"place" doc:"In the order in which the letters go, from 1."`
	ID      task.ID  `json:"id" doc:"Id of the task."`
	Status  string   `json:"status" enum:"waiting,pending,running,succeeded,dead,canceled,resent,gone,skipped,changed,asked,left_running,left_ended,not_found" doc:"waiting: its turn has not come. skipped: it was no dead letter any more when its turn came. pending, running, succeeded, dead (again), canceled: it was redriven, and is that now. resent: another redrive has taken it since. gone: what became of it was deleted. Of an action on tasks: changed: was canceled, or its next run was moved. asked: was running, and was asked to end. left_running, left_ended, not_found: was left alone."`
	State   string   `json:"state,omitempty" enum:"pending,running,succeeded,dead,canceled" doc:"Of an action on tasks: what the task is now."`
	Type    string   `json:"type,omitempty" doc:"Type of the task."`
	Queue   string   `json:"queue,omitempty" doc:"Queue of the task."`
	Key     string   `json:"key,omitempty" doc:"Ordering key of the task."`
	Attempt int      `json:"attempt,omitempty" doc:"Attempts started and spent."`
	Reason  string   `json:"reason,omitempty" enum:"exhausted,permanent,expired,crash_loop,no_handler,rejected" doc:"Why a dead letter died."`
	Error   *Failure `json:"error,omitempty" doc:"Its last error, if it is dead or has failed since it was redriven."`
	At      Time     `json:"at,omitzero" doc:"When the task changed last."`
}

// OperationItems is a page of the report of an operation.
type OperationItems struct {
	Items      []OperationItem `json:"items" doc:"The letters or tasks of the page."`
	NextCursor string          `json:"next_cursor" doc:"Of the next page; empty at the end."`
}

// Operations lists operations, newest first.
type Operations struct {
	Operations []Operation `json:"operations" doc:"The operations, newest first."`
}

// Queue is a named stream of tasks.
type Queue struct {
	Name        string      `json:"name" doc:"Name of the queue."`
	Lanes       int         `json:"lanes" doc:"Slices of the queue, 1 to 256."`
	Paused      bool        `json:"paused" doc:"Nothing of it starts."`
	Policy      string      `json:"policy,omitempty" doc:"Name of the retry policy of tasks that name none; absent for the default policy."`
	UnknownType string      `json:"unknown_type" enum:"park,dead" doc:"What becomes of tasks that nothing can start."`
	Concurrency int         `json:"concurrency" doc:"Running tasks over all nodes, 0 for no limit."`
	MaxPending  int         `json:"max_pending" doc:"Pending tasks beyond which enqueues are refused with 429, 0 for no limit."`
	Weight      int         `json:"weight" doc:"Share of a node's slots against other queues."`
	UpdatedAt   Time        `json:"updated_at,omitzero" doc:"When it was changed last; absent of a queue that nobody changed."`
	Shares      ShareLimits `json:"shares,omitzero" doc:"Limits of each share key; absent for none."`

	Counts    *QueueCounts `json:"counts,omitempty" doc:"Over all nodes, counted no further than 10 000 each."`
	OldestDue Duration     `json:"oldest_due,omitempty" doc:"How long the oldest pending task has been due; absent where none is."`
	Recent    *SeriesPoint `json:"recent,omitempty" doc:"What happened in the last five minutes, over all nodes; absent where that is not known."`
}

// ShareLimits bound the tasks of each share key of a queue, over all nodes.
type ShareLimits struct {
	Concurrency int    `json:"concurrency,omitempty" doc:"Running tasks of each share key over all nodes, 0 for no limit."`
	Rate        string `json:"rate,omitempty" doc:"Starts of each share key over all nodes, such as 50/s, 100/m or 1000/h; absent for no limit." example:"50/s"`
}

// ShareLimitsChange changes [ShareLimits]. Fields that are nil keep their value.
type ShareLimitsChange struct {
	Concurrency *int    `json:"concurrency,omitempty" doc:"Running tasks of each share key over all nodes, 0 for no limit."`
	Rate        *string `json:"rate,omitempty" doc:"Starts of each share key over all nodes, such as 50/s, 100/m or 1000/h; empty for no limit."`
}

// QueueShare is what a node has in memory of one share key.
type QueueShare struct {
	ShareKey string `json:"share_key" doc:"Empty for the tasks without one."`
	Running  int    `json:"running" doc:"On this node."`
	Ready    int    `json:"ready" doc:"Due and not running, of those in memory."`
	Known    int    `json:"known" doc:"All in memory, whenever they are due, running ones included."`
	More     bool   `json:"more,omitempty" doc:"More of them wait on disk."`
	Waiting  string `json:"waiting,omitempty" doc:"share limit where a limit of the key lets nothing start."`
	Next     Time   `json:"next_check,omitzero" doc:"When the rate of the key lets something start again."`
}

// QueueShares are share keys of a queue, those first of which the most waits.
type QueueShares struct {
	Queue  string       `json:"queue" doc:"Name of the queue."`
	Node   string       `json:"node" doc:"Who tells: each node knows the tasks of its own lanes."`
	Shares []QueueShare `json:"shares" doc:"The share keys."`
	Total  int          `json:"total" doc:"Share keys of which this node has tasks."`
}

// QueueCounts counts the tasks of a queue.
type QueueCounts struct {
	Pending int `json:"pending" doc:"Without the parked ones."`
	Parked  int `json:"parked" doc:"Pending tasks behind ordering keys that dead letters hold in mode park: they are no backlog."`
	Running int `json:"running" doc:"Running tasks."`
	Dead    int `json:"dead" doc:"Dead letters."`
}

// Queues lists queues by name.
type Queues struct {
	Queues []Queue `json:"queues" doc:"The queues, by name."`
}

// QueueChange creates a queue or changes one. Fields that are nil keep their
// value, or take the default in a new queue.
type QueueChange struct {
	Lanes       *int               `json:"lanes,omitempty" doc:"1 to 256, 8 in a new queue; can only be raised."`
	Policy      *string            `json:"policy,omitempty" doc:"Name of the retry policy of tasks that name none; empty for the default policy."`
	UnknownType *string            `json:"unknown_type,omitempty" enum:"park,dead" doc:"What becomes of tasks that nothing can start; park in a new queue."`
	Concurrency *int               `json:"concurrency,omitempty" doc:"Running tasks over all nodes, 0 for no limit."`
	MaxPending  *int               `json:"max_pending,omitempty" doc:"Pending tasks beyond which enqueues are refused with 429, 0 for no limit."`
	Weight      *int               `json:"weight,omitempty" doc:"Share of a node's slots against other queues, 1 when 0."`
	Shares      *ShareLimitsChange `json:"shares,omitempty" doc:"Limits of each share key."`
}

// BlockedKey is an ordering key that a dead letter blocks.
type BlockedKey struct {
	Queue       string  `json:"queue" doc:"Name of the queue."`
	Key         string  `json:"key" doc:"The ordering key."`
	DeadLetter  task.ID `json:"dead_letter" doc:"What blocks it: redrive or purge it, or release the key."`
	Mode        string  `json:"mode" enum:"block,park" doc:"Tasks behind a key in mode park do not count as backlog."`
	Since       Time    `json:"since" doc:"When the dead letter died."`
	Waiting     int     `json:"waiting" doc:"Pending tasks behind it, counted to 1000."`
	WaitingMore bool    `json:"waiting_more,omitempty" doc:"There are more than 1000."`
}

// BlockedKeys is a page of blocked keys.
type BlockedKeys struct {
	Keys       []BlockedKey `json:"keys" doc:"The keys of the page."`
	NextCursor string       `json:"next_cursor" doc:"Give it back as cursor for the next page; empty on the last one."`
}

// KeyRelease names an ordering key to release.
type KeyRelease struct {
	Key string `json:"key" doc:"The ordering key that a dead task blocks."`
}

// KeyReleased tells whether a key was blocked.
type KeyReleased struct {
	Released bool `json:"released" doc:"Whether the key was blocked; the dead letter stays."`
}

// Health is the answer of /readyz; only the verbose one has checks.
type Health struct {
	Status string           `json:"status" enum:"alive,ready,not ready" doc:"alive: of /livez. ready, not ready: of /readyz."`
	Checks map[string]Check `json:"checks,omitempty" doc:"What was checked, by name; only with ?verbose."`
}

// Check is one line of a health report.
type Check struct {
	OK     bool   `json:"ok" doc:"It is as it should be."`
	Detail string `json:"detail,omitempty" doc:"What was found, for people."`
	Since  Time   `json:"since,omitzero" doc:"Since when it has not been as it should be, where that is known."`
}
