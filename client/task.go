package client

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/task"
)

// Draft is a task as a caller hands it in. Only Type or Target is required.
type Draft struct {
	ID           task.ID           `json:"id,omitzero" doc:"UUID of version 7, made by the caller; its last 16 bits become the lane. A repeat with the same id and content answers with the first task. Made by the server when absent."`
	Type         string            `json:"type,omitempty" doc:"What kind of task this is. Defaults to http when target.url is given."`
	Queue        string            `json:"queue,omitempty" doc:"Defaults to default."`
	Payload      json.RawMessage   `json:"payload,omitempty" doc:"Any JSON value, kept byte for byte. At most 1 MiB."`
	Delay        Duration          `json:"delay,omitzero" doc:"Wait before the first attempt, such as 1.5s. Not together with run_at." example:"10s"`
	RunAt        Time              `json:"run_at,omitzero" doc:"Not before this time. Not together with delay."`
	Priority     *int              `json:"priority,omitempty" doc:"0 (lowest) to 9, 5 when absent."`
	Key          string            `json:"key,omitempty" given:"leave it out for no order" doc:"Ordering key: tasks of one key run one at a time in the order of their enqueues."`
	ShareKey     string            `json:"share_key,omitempty" given:"leave it out for none" doc:"Whose the task is, such as a customer: starts of a queue go round the share keys, so that one with a backlog delays no other. Tasks without one are one share."`
	DedupeKey    string            `json:"dedupe_key,omitempty" given:"leave it out for no deduplication" doc:"Same key and same content: the same task. Same key and other content: 409 dedupe_conflict."`
	DedupeWindow Duration          `json:"dedupe_window,omitzero" given:"leave it out for 24h" doc:"How long the dedupe key holds, 24h when absent."`
	Policy       string            `json:"policy,omitempty" doc:"Name of a retry policy."`
	Retry        json.RawMessage   `json:"retry,omitempty" strict:"true" doc:"Inline retry policy; replaces the named one whole."`
	MaxAttempts  *int              `json:"max_attempts,omitempty" doc:"Overrides the policy; the first attempt counts."`
	Timeout      Duration          `json:"timeout,omitzero" given:"leave it out for the policy's own" doc:"Limit of each attempt."`
	Deadline     Time              `json:"deadline,omitzero" doc:"For all attempts together. Not together with ttl."`
	TTL          Duration          `json:"ttl,omitzero" given:"leave it out for no limit" doc:"As deadline, counted from now."`
	Metadata     map[string]string `json:"metadata,omitempty" doc:"Free labels; not sent to receivers."`
	Target       *Target           `json:"target,omitempty" doc:"The HTTP request to make."`
	Fallback     *Follow           `json:"fallback,omitempty" doc:"Enqueued in the transaction in which the task dies."`
	OnSuccess    *Follow           `json:"on_success,omitempty" doc:"Enqueued in the transaction in which the task succeeds."`
	OnDead       *Follow           `json:"on_dead,omitempty" doc:"Enqueued in the transaction in which the task dies."`
	Alert        json.RawMessage   `json:"alert,omitempty" strict:"true" doc:"When to tell people about this task: {when, channels, cooldown}. Replaces the alert of its type or policy."`
	TraceParent  string            `json:"trace_parent,omitempty" doc:"W3C trace context; the traceparent header is used when absent."`
	Group        task.ID           `json:"group,omitzero" doc:"The group of tasks that this one is a member of, which must be open. Not together with dedupe_key."`
}

// Target is the HTTP request that a task makes.
type Target struct {
	URL     string            `json:"url,omitempty" doc:"http or https. Required without group."`
	Group   string            `json:"group,omitempty" doc:"Worker group, instead of url: its member with the least load gets the request."`
	Path    string            `json:"path,omitempty" doc:"With group: the path at the member, such as /send."`
	Method  string            `json:"method,omitempty" doc:"POST when absent."`
	Headers map[string]string `json:"headers,omitempty" doc:"A value whose name sounds like a credential (authorization, cookie, token, key, secret, signature, password) is never answered: it says [hidden]. Given back where the policy or the schedule has such a header for the same host, that means the value that is there."`
	Success string            `json:"success,omitempty" doc:"Condition in CEL that alone decides whether an answer is a success, whatever its status, over status, headers (the first value of each, by name in lower case) and body (JSON of at most 64 KiB as its value, else the first 64 KiB as a text): body.code == 0. At most 2 KiB. Without it a 2xx is."`
}

// Follow describes a task that is enqueued when another ends. It gets the
// payload of the task that it follows unless it has its own.
type Follow struct {
	Type    string          `json:"type,omitempty" doc:"What kind of task this is. Defaults to http when target.url is given."`
	Queue   string          `json:"queue,omitempty" doc:"The queue of the followed task when absent."`
	Policy  string          `json:"policy,omitempty" doc:"Name of a retry policy."`
	Payload json.RawMessage `json:"payload,omitempty" doc:"Any JSON value; that of the followed task when absent."`
	Target  *Target         `json:"target,omitempty" doc:"The HTTP request to make."`
}

// Task is a task as it stands.
type Task struct {
	ID            task.ID           `json:"id" doc:"Id of the task, a UUID of version 7."`
	Type          string            `json:"type" doc:"What kind of task this is."`
	Queue         string            `json:"queue" doc:"Name of the queue."`
	State         task.State        `json:"state" enum:"pending,running,succeeded,dead,canceled" doc:"pending: it waits for its time. running: an attempt runs. succeeded: it has ended well. dead: it was given up, and is a dead letter. canceled: it has ended by request."`
	Payload       json.RawMessage   `json:"payload,omitempty" doc:"Byte for byte as it was enqueued. Absent when the payload is not JSON, see payload_base64."`
	PayloadBase64 string            `json:"payload_base64,omitempty" doc:"A payload that a Go program enqueued and that is not JSON."`
	Priority      int               `json:"priority" doc:"0 (lowest) to 9."`
	RunAt         Time              `json:"run_at" doc:"Not before this time: of the first attempt or of the next retry."`
	Key           string            `json:"key,omitempty" doc:"Ordering key: tasks of one key run one at a time."`
	ShareKey      string            `json:"share_key,omitempty" doc:"Whose the task is: starts of a queue go round the share keys."`
	DedupeKey     string            `json:"dedupe_key,omitempty" doc:"Key under which a repeat of the enqueue is found."`
	DedupeWindow  Duration          `json:"dedupe_window,omitzero" doc:"How long the dedupe key holds."`
	Policy        string            `json:"policy,omitempty" doc:"Name of its retry policy; absent where its type or queue says which holds."`
	PolicyVersion int               `json:"policy_version,omitempty" doc:"Version of the named policy; presets have one, 1. Absent for an inline policy."`
	Retry         json.RawMessage   `json:"retry,omitempty" doc:"Inline retry policy; absent where it has none."`
	MaxAttempts   int               `json:"max_attempts" doc:"What holds for this task, the first attempt included; 0 for unlimited."`
	Timeout       Duration          `json:"timeout,omitzero" doc:"Limit of each attempt."`
	Deadline      Time              `json:"deadline,omitzero" doc:"For all attempts together."`
	Metadata      map[string]string `json:"metadata,omitempty" doc:"Free labels."`
	Target        *Target           `json:"target,omitempty" doc:"The HTTP request to make; absent where a handler or a worker runs it."`
	Fallback      *Follow           `json:"fallback,omitempty" doc:"The task that is enqueued when this one dies."`
	OnSuccess     *Follow           `json:"on_success,omitempty" doc:"The task that is enqueued when this one succeeds."`
	OnDead        *Follow           `json:"on_dead,omitempty" doc:"The task that is enqueued when this one dies, beside fallback."`
	Alert         json.RawMessage   `json:"alert,omitempty" doc:"When to tell people about this task: {when, channels, cooldown}."`
	TraceParent   string            `json:"trace_parent,omitempty" doc:"W3C trace context of who enqueued it."`
	Group         task.ID           `json:"group,omitzero" doc:"The group of tasks that this one is a member of."`

	Attempt         int             `json:"attempt" doc:"Attempts started and spent."`
	Crashes         int             `json:"crashes" doc:"Runs that were lost, since their process died or the lease of their worker ended without an answer; they cost no attempt."`
	Claim           int64           `json:"claim" doc:"Grows with every run."`
	Node            string          `json:"node,omitempty" doc:"Who runs it now, or has leased it to a worker."`
	Worker          string          `json:"worker,omitempty" doc:"The remote worker that runs it now."`
	LeaseUntil      Time            `json:"lease_until,omitzero" doc:"Of a task that a remote worker runs: not extended by then, it runs elsewhere. Told by the node that leased it."`
	StartedAt       Time            `json:"started_at,omitzero" doc:"When the attempt that runs, or ran last, began."`
	CancelRequested bool            `json:"cancel_requested,omitempty" doc:"Somebody wants the running attempt to stop."`
	Dispatch        *Dispatch       `json:"dispatch,omitempty" doc:"Of a task for a worker group that nobody takes."`
	Waiting         string          `json:"waiting,omitempty" doc:"Why a pending task is not running. New ones may come."`
	NextCheck       Time            `json:"next_check,omitzero" doc:"When it is looked at again why the task waits: the next run, the next probe of an open breaker, the next token of a spent budget. Absent where nobody can know."`
	MissingKey      string          `json:"missing_key,omitempty" doc:"The encryption key that nodes lack, of a task that waits for that."`
	CreatedAt       Time            `json:"created_at" doc:"When it was accepted."`
	UpdatedAt       Time            `json:"updated_at,omitzero" doc:"When it changed last."`
	FinishedAt      Time            `json:"finished_at,omitzero" doc:"When it ended; absent of a task that lives."`
	LastError       *Failure        `json:"last_error,omitempty" doc:"Error of the last attempt that failed; absent if none did."`
	LastFailedAt    Time            `json:"last_failed_at,omitzero" doc:"When its last attempt that failed ended; of a dead letter when it died."`
	DeadReason      string          `json:"dead_reason,omitempty" enum:"exhausted,permanent,expired,crash_loop,no_handler,rejected" doc:"Why it died: the attempts are exhausted, the failure is permanent, the deadline has passed, it killed its process too often, nothing can start it, or it was rejected."`
	Progress        json.RawMessage `json:"progress,omitempty" doc:"Last reported by a Go handler on this node."`
	Result          json.RawMessage `json:"result,omitempty" doc:"JSON that the attempt that succeeded answered with."`
	FallbackTask    task.ID         `json:"fallback_task,omitzero" doc:"The task that was enqueued when this one died."`
	FallbackState   string          `json:"fallback_state,omitempty" enum:"pending,running,succeeded,dead,canceled" doc:"State of the fallback task, where one task is asked for."`
	FallbackError   string          `json:"fallback_error,omitempty" doc:"Last error of the fallback task."`
	CallbackTask    task.ID         `json:"callback_task,omitzero" doc:"The on_success or on_dead task of this one, where one task is asked for."`
	CallbackState   string          `json:"callback_state,omitempty" enum:"pending,running,succeeded,dead,canceled" doc:"State of the callback task."`
	CallbackError   string          `json:"callback_error,omitempty" doc:"Last error of the callback task."`
	Parent          task.ID         `json:"parent,omitzero" doc:"The task that this one follows, or the group of tasks whose callback it is."`
	Follows         string          `json:"follows,omitempty" enum:"fallback,on_success,on_dead,compensation,group" doc:"As what it follows its parent."`
	Steps           []Step          `json:"steps,omitempty" doc:"What is done of it, in the order in which that ended, where one task is asked for. Of a task that is leased to a worker, what is not to be done again."`

	CompensationTask  task.ID `json:"compensation_task,omitzero" doc:"The task that undoes the steps of this one once it is canceled, where that was asked for and one task is asked for."`
	CompensationState string  `json:"compensation_state,omitempty" enum:"pending,running,succeeded,dead,canceled" doc:"State of the compensation task: when it has succeeded, what undoes the steps is enqueued."`
}

// Dispatch is how dispatches to a worker group fare. They are no attempts.
type Dispatch struct {
	Failures  int    `json:"failures" doc:"In a row, on the node that would start the task."`
	LastError string `json:"last_error" doc:"Why nobody took it last."`
	NextAt    Time   `json:"next_at,omitzero" doc:"The next try."`
}

// Failure is what is kept of the error of an attempt.
type Failure struct {
	Category    string   `json:"category" doc:"Category of the failure, such as network, timeout or permanent. New ones may come."`
	Type        string   `json:"type,omitempty" doc:"Error class or Go type."`
	Code        string   `json:"code,omitempty" doc:"HTTP status, SQLSTATE, errno."`
	Effect      string   `json:"effect,omitempty" enum:"not_sent,maybe,done" doc:"Whether the attempt may have done its work: not_sent means no, done means yes, maybe means that nobody knows."`
	Message     string   `json:"message" doc:"What failed, for people."`
	Fingerprint string   `json:"fingerprint" doc:"Equal for failures that are the same to a person."`
	At          Time     `json:"at,omitzero" doc:"When the attempt ended."`
	Delay       Duration `json:"delay,omitzero" doc:"The wait planned after it."`
}

// Step is a part of a task's work that is done: later attempts do not repeat it.
type Step struct {
	Name         string          `json:"name" doc:"What the step is called."`
	Occurrence   int             `json:"occurrence" doc:"Of its name in one attempt, from 1; 0 for a signal, which is no step of a handler."`
	Attempt      int             `json:"attempt,omitempty" doc:"In which it was done."`
	StartedAt    Time            `json:"started_at,omitzero" doc:"When it began, if that is known."`
	EndedAt      Time            `json:"ended_at,omitzero" doc:"When it ended."`
	Result       json.RawMessage `json:"result,omitempty" doc:"What it gave."`
	Type         string          `json:"type,omitempty" doc:"That of the result, in the words of the language that made it. await: the handler waits for the signal of the name. Of occurrence 0: signal, whose payload is the result, or timeout, if none came in time."`
	Until        Time            `json:"until,omitzero" doc:"When a durable sleep or a wait for a signal ends."`
	Compensation *Compensation   `json:"compensation,omitempty" doc:"The task that undoes the step if its own dies."`
	Undone       bool            `json:"undone,omitempty" doc:"The step was undone when its task died before: it is done again. So is a wait for a signal."`
	Unreadable   string          `json:"unreadable,omitempty" doc:"Why the server cannot read what it keeps of the step, such as a missing key. The task runs no further until it can."`
}

// Compensation is the task that undoes a step. It is enqueued in the queue of the task that
// the step is of.
type Compensation struct {
	Type    string          `json:"type" doc:"Type of the task."`
	Payload json.RawMessage `json:"payload,omitempty" doc:"JSON of at most 64 KiB."`
}

// Attempt is one recorded execution of a task.
type Attempt struct {
	Number      int      `json:"number" doc:"Attempts count from 1; one that cost nothing repeats its number."`
	Claim       int64    `json:"claim" doc:"Number of the run, which grows with every run of the task."`
	Node        string   `json:"node,omitempty" doc:"Who ran it, or had leased it to a worker."`
	Worker      string   `json:"worker,omitempty" doc:"The remote worker that ran it."`
	StartedAt   Time     `json:"started_at,omitzero" doc:"When it began."`
	EndedAt     Time     `json:"ended_at,omitzero" doc:"When it ended."`
	Outcome     string   `json:"outcome" enum:"succeeded,failed,snoozed,released,dead,canceled,crashed" doc:"How it ended. failed: it is retried. snoozed, released: it runs again at no cost. crashed: it was lost."`
	Category    string   `json:"category,omitempty" doc:"Category of the failure, such as network, timeout or permanent. New ones may come."`
	Error       string   `json:"error,omitempty" doc:"What failed; of a crashed attempt how it was lost: its process died, or the lease of its worker ended without an answer."`
	Type        string   `json:"type,omitempty" doc:"Error class or Go type."`
	Code        string   `json:"code,omitempty" doc:"HTTP status, SQLSTATE or errno."`
	Effect      string   `json:"effect,omitempty" enum:"not_sent,maybe,done" doc:"Whether the attempt may have done its work; absent where it did not fail."`
	Fingerprint string   `json:"fingerprint,omitempty" doc:"Equal for failures that are the same to a person."`
	NextDelay   Duration `json:"next_delay,omitzero" doc:"The wait until the next attempt; absent at the end."`

	Policy        string `json:"policy,omitempty" doc:"The named policy that held for the attempt, and decided what follows a failure; absent for policies without versions, and for a crash."`
	PolicyVersion int64  `json:"policy_version,omitzero" doc:"Version of that policy."`
	Release       string `json:"release,omitempty" doc:"Release of the program that ran it: of the remote worker, else of the node."`
}

// Attempts is the history of a task, oldest first, and what is done of it.
type Attempts struct {
	Attempts []Attempt `json:"attempts" doc:"The attempts, oldest first."`
	Steps    []Step    `json:"steps,omitempty" doc:"What is done of the task, in the order in which that ended."`
}

// Tasks is a page, newest first. NextCursor is "" on the last page; a page
// may be short or empty and still have one.
type Tasks struct {
	Tasks      []Task `json:"tasks" doc:"The tasks of the page."`
	NextCursor string `json:"next_cursor" doc:"Give it back as cursor for the next page; empty on the last one."`
}

// Upcoming are tasks that failed and will be tried again, the soonest first.
type Upcoming struct {
	Tasks    []Task `json:"tasks" doc:"The tasks, the soonest first."`
	Complete bool   `json:"complete" doc:"False where more tasks waited than were looked at, and one that was not may be tried before the last of these."`
}

// Letter is a task with all its attempts.
type Letter struct {
	Task
	Attempts []Attempt `json:"attempts" doc:"All attempts, oldest first."`
}

// Batch is a request to enqueue several tasks.
type Batch struct {
	Tasks  []Draft `json:"tasks" doc:"1 to 1000 tasks."`
	Atomic bool    `json:"atomic,omitempty" doc:"All or none; otherwise each on its own."`
}

// BatchResults has one result per task of the batch in the same order.
type BatchResults struct {
	Results []BatchResult `json:"results" doc:"One result per task, in the same order."`
}

// BatchResult is the fate of one task of a batch: 201 when it is new, 200
// when it was there, else the error.
type BatchResult struct {
	Status int     `json:"status" doc:"201 when the task is new, 200 when it was there, else the status of the error."`
	ID     task.ID `json:"id,omitzero" doc:"Id of the task; absent where it was refused."`
	Error  *Error  `json:"error,omitempty" doc:"Why the task was refused; absent where it was not."`
}

// Cancellation is how a task is canceled.
type Cancellation struct {
	Compensate bool `json:"compensate,omitempty" doc:"Undo the steps of the task too, the last one first, once it is canceled. Also for a task that is canceled already."`
}

// Signaled is what has become of a signal.
type Signaled struct {
	ID       task.ID `json:"id" doc:"Id of the task."`
	Name     string  `json:"name" doc:"Name of the signal."`
	At       Time    `json:"at" doc:"When the signal came that stands."`
	Repeated bool    `json:"repeated,omitempty" doc:"It was there before, with the same payload."`
	State    string  `json:"state" enum:"pending,running,succeeded,dead,canceled" doc:"What the task is."`
	Woken    bool    `json:"woken,omitempty" doc:"The task waited for it, and is due now."`
}

// Reschedule moves the next attempt of a pending task. Exactly one of both is
// required.
type Reschedule struct {
	RunAt Time      `json:"run_at,omitzero" doc:"Not before this time. Required without delay."`
	Delay *Duration `json:"delay,omitempty" doc:"The same, counted from now. Required without run_at."`
}

// TaskGroupDraft is a group of tasks as a caller hands it in.
type TaskGroupDraft struct {
	ID       task.ID `json:"id,omitzero" doc:"UUID of version 7, made by the caller. A repeat with the same label and callback answers with the first group. Made by the server when absent."`
	Label    string  `json:"label,omitempty" doc:"For people. At most 200 bytes."`
	Callback Follow  `json:"callback" doc:"The task that is enqueued once when the group is closed and all its members have ended; in the queue default when it names none."`
}

// TaskGroup is a group of tasks as it stands.
type TaskGroup struct {
	ID           task.ID         `json:"id" doc:"Id of the group."`
	Label        string          `json:"label,omitempty" doc:"For people."`
	State        task.GroupState `json:"state" enum:"open,closed,done" doc:"open takes members; closed waits for those that live; done has enqueued its callback."`
	Callback     Follow          `json:"callback" doc:"The task that is enqueued when all members have ended."`
	Members      int             `json:"members" doc:"How many tasks it has."`
	Succeeded    int             `json:"succeeded" doc:"Members that succeeded."`
	Dead         int             `json:"dead" doc:"Members that died."`
	Canceled     int             `json:"canceled" doc:"Members that were canceled."`
	CreatedAt    Time            `json:"created_at" doc:"When it was created."`
	ClosedAt     Time            `json:"closed_at,omitzero" doc:"When it was closed; absent of an open group."`
	DoneAt       Time            `json:"done_at,omitzero" doc:"When its callback was enqueued; absent before."`
	CallbackTask task.ID         `json:"callback_task,omitzero" doc:"The callback, of a group that is done."`
}

// TaskGroups is a page of groups of tasks, newest first. NextCursor is "" on the last page; a page
// may be short or empty and still have one.
type TaskGroups struct {
	TaskGroups []TaskGroup `json:"task_groups" doc:"The groups of the page."`
	NextCursor string      `json:"next_cursor" doc:"Give it back as cursor for the next page; empty on the last one."`
}
