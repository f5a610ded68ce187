// Package store is the seam between the engine and a database: what must be
// on disk, and which changes are compare-and-set. [Store] is all that the
// engine needs; [Query], [Admin] and [Config] serve people and operators;
// the remaining interfaces are optional.
//
// Every implementation obeys the same rules, which storetest states one by
// one and checks. The most important ones:
//
//   - A method that returns nil error has committed. A method that returns
//     an error has an unknown outcome, unless the error says otherwise (a
//     [*task.Error], [ErrNodeDead]): it may be repeated as it stands.
//   - Nothing changes a running row but by its claim number, and every
//     change of a running row other than its own settle raises that number;
//     but for a cancel request, which a late success must be able to outrun.
//   - "Now" is the store's clock, read once per transaction.
//   - Items of one call do not share fate: a bad one is reported alone.
//   - All methods are safe for concurrent use, and keep none of the slices
//     and tasks that they are given.
//
// A store is a type that implements [Backend]; what else its database can do, it says by
// the interfaces that [As] finds. Package memory has all of it in the fewest lines. What
// does not depend on a database is below store/internal, for stores of this module: check
// refuses what no store may take, and claims of rows that may not run; ending decides what a
// settlement makes of a row, and a recovery of one whose node is lost; objects what a change of
// configuration does, steer the same of actions on many tasks, pages makes pages with their
// cursors, and sqlstore is what the stores on SQL share. Others have [SameContent] and
// [Filter.Matches], and say the rest by the rules of storetest.
//
// Tasks and nodes are no documents that encoding/json gives back as they were: it cannot
// read the zero id of a task without a FallbackTask, a Result that is sealed is no JSON, and
// the WakeKey of a node is left out. A Spec is: package stored keeps it.
//
// Stability: for authors of stores. Interfaces may gain methods in a minor version; package
// storetest says what is missing.
package store

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// ErrNoRight is in the chain of what a store says when the database user lacks a right.
// It does not pass by itself.
var ErrNoRight = errors.New("store: a right is missing")

// ErrNodeDead is returned to a node that another node has marked dead, or
// whose row is gone. Death is final: the node returns under a new id.
var ErrNodeDead = errors.New("store: the node was marked dead")

// ErrClosed is what every method of a closed store returns.
var ErrClosed = &task.Error{Code: task.CodeUnavailable, Message: "the store is closed"}

// Store is what the engine needs of a database.
type Store interface {
	// Join inserts the node's row, alive, with counter 0, its WakeKey included. A repeat
	// while the node is alive changes nothing; ErrNodeDead for an id that left or is dead.
	// On SQLite it also takes the OS lock by which others see that the process lives.
	Join(ctx context.Context, node Node) error

	// Beat raises the node's counter by one and stores what it says of
	// itself; Targets only if they are not nil, Load always. It returns ErrNodeDead when
	// the row is not alive any more, else the ids of the node's running rows
	// whose cancel was requested.
	Beat(ctx context.Context, node string, report Report) (canceled []task.ID, err error)

	// Leave marks the node as left, which frees its lanes and lets others
	// recover its running rows without counting a crash. Idempotent.
	Leave(ctx context.Context, node string) error

	// Bury marks a node dead if it is alive and its counter is still the
	// given one, and reports whether it did.
	Bury(ctx context.Context, node string, counter int64) (bool, error)

	// Topology reads queues, lanes, nodes and orders in one snapshot. Its
	// cost does not grow with the backlog. Nodes that left or died more than an
	// hour ago and hold nothing are absent.
	Topology(ctx context.Context) (*Topology, error)

	// TakeLanes makes the node owner of those of the lanes whose epoch is
	// still the given one and that are free: without an owner, or with one
	// that left or is dead. The epoch of each rises by one. It waits for
	// claims in flight on the lane. The lanes taken are returned with
	// their new epochs. A node that is not alive takes nothing.
	TakeLanes(ctx context.Context, node string, lanes []LaneEpoch) ([]LaneEpoch, error)

	// FreeLanes gives lanes back: those that the node still owns at the
	// given epoch and that hold no running keyed task. It returns the
	// lanes given back.
	FreeLanes(ctx context.Context, node string, lanes []LaneEpoch) ([]LaneEpoch, error)

	// Enqueue inserts batches, each all or nothing, with one result per
	// batch in the same order. An id that is already there, live or ended,
	// with the same content (queue, type, payload, key, target) answers
	// with that task (Existing), with other content fails with
	// CodeIDConflict; so a call of unknown outcome is simply repeated.
	// Keyed rows get their seq here, in the order of the call. That the queue of a
	// task is there is for who calls to see to: a store that looks refuses it with
	// CodeNotFound.
	Enqueue(ctx context.Context, batches []Batch) ([]BatchResult, error)

	// Scan reads pending rows of each range by (rank, id), at most
	// range.Limit of them, without changing anything.
	Scan(ctx context.Context, ranges []Range) ([][]Entry, error)

	// Claim marks rows running, in one transaction, and returns them whole.
	// A row is claimed if it is pending, its RunAt is not after the store's
	// now, its park mark is item.Mark and, for an owner's claim (Mark 0),
	// the lane's epoch is the given one and the node its owner; a keyed row
	// in addition only as head of its key: no hold on the key, no running
	// row of the key, and first among its pending rows by (started before,
	// Seq), where started before means Attempt+Crashes > 0. The node must
	// be alive. Attempt rises by one, Claim to max(old+1, now in µs).
	// Rows not claimed are reported with the reason. The batch ends early,
	// without a report for the rest, when payloads reach MaxBytes.
	// Nothing may start before Claim has returned.
	//
	// A claim with a Lease is a remote worker's: its rows are held by
	// task.Holder(Node, Worker, Release) instead of the node, and are the worker's
	// until the lease ends by the store's clock, whatever becomes of the node.
	Claim(ctx context.Context, claim Claim) (Claimed, error)

	// Running reads the node's running rows whole: those of ids, or all
	// when ids is nil. It is how a claim of unknown outcome is read back
	// and how rows are found that no one in the process knows.
	Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error)

	// Settle ends attempts, each fenced by its claim number, with history,
	// dead letter, key hold, counters and follow-up tasks in the same
	// transaction. See Settlement for what each outcome does. One result
	// per settlement in the same order. A repeat of a recorded outcome for
	// the same claim answers StatusOK and changes nothing; one of an attempt that
	// never started, of which the history has no row, may be stale once the task was
	// claimed again. Of the runs that
	// cost a live task no attempt, the history keeps the newest KeptRuns.
	Settle(ctx context.Context, settlements []Settlement) ([]Settled, error)

	// Recover hands back running rows of the lanes whose node is dead,
	// left or unknown: compare-and-set on the claim, which is raised;
	// Attempt - 1; a history row with outcome crashed (released for a node
	// that left); Crashes + 1 unless the node left. When a task with
	// Crashes >= 2 was running on a dead node, the crash counts for such
	// tasks alone, and for no other row of that node, whichever call
	// recovers it. Rows whose cancel was requested end as canceled.
	// Rows with a lease are judged by that alone: they are handed back when
	// it has ended by the store's clock, outcome crashed, Crashes + 1, cause
	// "lease expired".
	// At most limit rows; call again while it returns as many.
	Recover(ctx context.Context, lanes []uint16, limit int) ([]Recovered, error)

	// Mark sets (or with Mark 0 clears) the park mark of rows that are
	// pending. Rows that are not are left alone without error.
	Mark(ctx context.Context, marks []Marking) error

	// Marks lists the park marks present in the lanes, each once per lane,
	// with its first entry by rank: all of them with most 0, else at most so
	// many of each lane, whichever. Its cost grows with the number of marks
	// that it lists only.
	Marks(ctx context.Context, lanes []uint16, most int) ([]Entry, error)
}

// Steps keeps what handlers have done and need not do again.
type Steps interface {
	// AddSteps adds steps, each exactly if its task runs under the step's claim: StatusOK,
	// or StatusStale, which has changed nothing. One status per step in the same order. A
	// step replaces one of its task with its Name and Occurrence, so that a call of unknown
	// outcome is simply repeated. The task is not written; but whatever ends the claim, a Settle, a
	// Recover, waits for the call or makes it stale, so that the next owner reads each
	// step that was answered with StatusOK.
	AddSteps(ctx context.Context, steps []task.Step) ([]Status, error)
	// StepsOf returns the steps of tasks in any state, by task, Seq, Name and Occurrence; of
	// a task without any there are none. They stay as long as their task: a redrive leaves them, Purge and
	// Cleanup delete them with it.
	StepsOf(ctx context.Context, ids []task.ID) ([]task.Step, error)
	// Signal ends the wait for the signal of a name: by the step that is given, of
	// occurrence 0 and type task.StepSignal or task.StepTimeout, or by what came before it,
	// which stands for good. So a call of unknown outcome is simply repeated, also once the
	// task has ended. What an earlier death has made [task.Step.Forgotten] does not stand.
	//
	// A signal, whose Claim is 0, is for pending and running tasks: CodeNotFound, CodeConflict
	// with the state for those that have ended, CodeTooLarge if the task has too many or too
	// large steps with it. A pending task that waits for the name, since its RunAt is Until of
	// one of its waits, is made due in the same transaction, as Reschedule does; no other is
	// moved. A timeout is fenced by its Claim as steps are.
	Signal(ctx context.Context, step task.Step, audit ...Audit) (Signaled, error)
}

// Signaled is what has become of a signal, or of a timeout.
type Signaled struct {
	Status Status    // StatusOK, or StatusStale of a timeout under a claim that has ended
	Step   task.Step // what ends the wait; zero if stale
	Added  bool      // it is the one that was given
	// Task is it as it then stands, without payload, result, spec and last error; Woken says
	// that it was made due.
	Task  *task.Task
	Woken bool
}

// TaskGroups keeps groups of tasks and counts their members. Those are counted in the
// transaction that changes them: whatever inserts a task with a Spec.Group adds it, and fails
// with CodeConflict unless the group is open, CodeNotFound where there is none, and CodeTooLarge
// for more than [task.MaxGroup] members, which a caller's transaction need not look at, but for one
// that was there already; whatever ends one (Settle, Recover, Cancel, Steer) adds its end. A repeat
// counts nothing. Redrive takes the death of a member back while its group is not done; later it
// leaves the group to itself, and the task without one. A member has no dedupe key.
type TaskGroups interface {
	// PutGroup makes a group, open and without members. An id that is there with the same
	// label and callback answers with that group, as it stands; with others CodeIDConflict.
	PutGroup(ctx context.Context, group task.Group, audit ...Audit) (*task.Group, error)
	// CloseGroup closes a group to new members, after a wait for transactions that are bringing
	// some. The group as it then stands; one that is closed already is no error. CodeNotFound.
	CloseGroup(ctx context.Context, id task.ID, audit ...Audit) (*task.Group, error)
	// FinishGroup inserts the callback of a group and makes it done, if it is closed and its
	// members are counted as given, all of them ended; else it changes nothing. The group as
	// it then stands: done, with whichever CallbackTask was inserted first. CodeNotFound.
	FinishGroup(ctx context.Context, id task.ID, counted task.GroupCounts, callback Insert) (*task.Group, error)
	// Group returns one; CodeNotFound.
	Group(ctx context.Context, id task.ID) (*task.Group, error)
	// Groups lists those in a state, or with "" all, the newest first (by id), with ids
	// below before unless that is zero, at most limit.
	Groups(ctx context.Context, state task.GroupState, before task.ID, limit int) ([]task.Group, error)
}

// TxEnqueuer is implemented by stores that can insert tasks inside the
// caller's own transaction, so that the tasks exist exactly if it commits.
// The transaction is the driver's (*sql.Tx for database/sql stores); one of
// another kind is CodeInvalid. Any error means that the transaction should be
// rolled back.
//
// A caller's transaction may stay open for long, and at any isolation level.
// While it is open it holds up nobody but those who enqueue the same id or
// dedupe key: no claim, no take-over of a lane, no other enqueue.
type TxEnqueuer interface {
	EnqueueTx(ctx context.Context, tx any, items []Insert) ([]Inserted, error)
}

// TxSettler is implemented by stores that can end an attempt inside the
// caller's own transaction, so that the task has succeeded exactly if it
// commits. The transaction is of the kind that EnqueueTx takes.
type TxSettler interface {
	// SettleTx ends an attempt as Settle does, with the outcome succeeded
	// (others are CodeInvalid), inside tx. Unlike Settle it answers StatusOK
	// only if tx itself makes the change: a success that is recorded already
	// is StatusStale, since whatever else tx does would be done twice.
	// Every other status has changed nothing, and means that the caller must
	// roll back: another owner may have run the task. So does an error; a
	// store sees to it that no part of a failed call can be committed
	// (a savepoint, where the database would let the transaction go on).
	//
	// While tx is open the row stays locked by it. Recover passes such a row
	// over and finds it later, and nothing else waits for it but what
	// changes this very row: its Settle, its cancel.
	SettleTx(ctx context.Context, tx any, settlement Settlement) (Settled, error)
}

// TxNotifier is implemented by stores that can tell other processes, inside
// the caller's own transaction, what they are to look for once it has
// committed (NOTIFY on PostgreSQL, which makes commits that use it wait for
// one another). The transaction is of the kind that EnqueueTx takes.
type TxNotifier interface {
	NotifyTx(ctx context.Context, tx any, lanes []ChangedLane) error
}

// Notifier is implemented by stores that can tell other processes of a change
// (NOTIFY on PostgreSQL). Notify makes their Watch wake for the lanes. It is
// called after the change has committed, never inside a transaction of a
// caller, and is advice: who hears nothing polls.
type Notifier interface {
	Notify(ctx context.Context, lanes []ChangedLane) error
}

// ChangedLane is a lane in which rows were inserted or moved, of which From is the least
// rank: rows before it are as they were, and whoever looks need not read past those that
// have ended. AnyRank for rows of unknown rank, NoRank where only keys, marks or leases of
// the lane have changed.
type ChangedLane struct {
	Lane uint16
	From int64
}

// Ranks of a [ChangedLane] that are none.
const (
	AnyRank = math.MinInt64
	NoRank  = math.MaxInt64
)

// Arrivals is implemented by stores that know which tasks the transactions of callers have
// brought (see [TxEnqueuer]), of which nobody need tell, and which may commit long after
// others that began later. On other stores a scan finds them.
type Arrivals interface {
	// Arrived returns pending rows of the lanes without a mark that EnqueueTx has inserted
	// in transactions whose commit the call that answered since could not see: each of
	// them, some perhaps again. It walks past nothing that was there before. Whole says
	// that it cannot tell, since "since" is empty or of another server: the caller looks
	// at everything itself, after this call. Next is what to go on from; a store that
	// cannot tell at all answers the zero value.
	Arrived(ctx context.Context, lanes []uint16, since string) (Arrival, error)
}

// Arrival is what has arrived; see [Arrivals].
type Arrival struct {
	Entries []Entry
	Next    string
	Whole   bool
}

// Lanewise is implemented by stores that may do what they are asked lane by lane.
type Lanewise interface {
	// Lanewise reports whether a claim and a settlement are a transaction for each lane:
	// the cost of one is then that of its lanes, and calls should have more rows.
	Lanewise() bool
}

// Migrator is implemented by stores with a schema of numbered migrations.
type Migrator interface {
	// Migrations lists all that this program knows, in order, and which of
	// them the database has.
	Migrations(ctx context.Context) ([]Migration, error)
	// Migrate applies what is missing. Several processes may call it at once,
	// and a process that ends midway leaves what the next call completes.
	Migrate(ctx context.Context) error
}

// Migration is one numbered change of a schema.
type Migration struct {
	Version int
	Name    string
	Applied bool
}

// Prober is implemented by stores on a server of their own.
type Prober interface {
	// Probe asks the server for its time. It takes a round trip.
	Probe(ctx context.Context) (Probe, error)
}

// Waker is implemented by stores that can tell soon when another process
// has committed. Watch calls wake (lanes nil for "any") from one goroutine
// until ctx ends. Wake-ups are advice: they may be late, lost or needless.
type Waker interface {
	Watch(ctx context.Context, wake func(lanes []ChangedLane)) error
}

// Spotter is implemented by stores that tell of nothing, but can see cheaply that other
// processes have inserted tasks. Spot calls found with their lanes, from one goroutine
// until ctx ends. It is advice, of new tasks alone, and not of all of them: who spots polls
// and is told of changes as without it.
type Spotter interface {
	Spot(ctx context.Context, found func(lanes []uint16)) error
}

// Query reads what people look at. All methods return copies.
type Query interface {
	// Get returns a task whatever its state and table. CodeNotFound when
	// there is none or its retention has passed.
	Get(ctx context.Context, id task.ID) (*task.Task, error)
	// Attempts returns the recorded attempts of a task, oldest first, the
	// last one of a succeeded task included; CodeNotFound as for Get.
	Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error)
	// Known tells of each item, in order, whether an Enqueue would answer it with a
	// task that is there already, or refuse it for one: its id is there, live or
	// ended, or its dedupe key has a live entry. It writes nothing and compares no
	// content. What transactions hold that are still open is not seen.
	Known(ctx context.Context, items []Insert) ([]bool, error)
	// Find returns a page of tasks, newest first (by id). A page may be
	// short or empty and still have a cursor, since it reads at most 20 000
	// rows per call, and ends with the task that makes it 8 MiB of payloads and
	// results.
	Find(ctx context.Context, filter Filter, page Page) (tasks []*task.Task, next string, err error)
	// Count returns how many tasks match, counting no further than limit.
	Count(ctx context.Context, filter Filter, limit int) (int, error)
	// Letters lists dead letters that match, by id, the oldest first: those
	// with an id above after, at most limit.
	Letters(ctx context.Context, filter Filter, after task.ID, limit int) ([]Letter, error)
	// DeadStats returns the counters of dead letters, kept in the settling
	// transactions, not recounted.
	DeadStats(ctx context.Context) (*DeadStats, error)
	// DeadGroups returns dead letters grouped by fingerprint, most first.
	// With a filter it may look at the newest 4 000 letters only, 1 000 with a type or a
	// fingerprint, of those
	// that the filter's times, ids and (one of) type, reason and fingerprint
	// select: older ones are not examined, and counts are of the newest.
	DeadGroups(ctx context.Context, filter Filter, limit int) ([]DeadGroup, error)
	// DeadTrend counts when letters died: those that match among the newest
	// that an index and the times of the filter select, as DeadGroups looks at them
	// with a filter, by fingerprint, reason, target, who ran them last, and the hour of the
	// death, 0 for those before since. In no order.
	DeadTrend(ctx context.Context, filter Filter, since Time) ([]DeadPart, error)
	// Key tells what is ahead of a keyed task: the hold on its key, if any,
	// and the id of the task that runs or runs next.
	Key(ctx context.Context, lane uint16, key string) (*KeyState, error)
	// Check runs the store's own integrity checks and compares counters
	// with recounts; it returns what is wrong, nothing when all is well.
	Check(ctx context.Context) ([]string, error)
}

// Waits tells of what waits.
type Waits interface {
	// Holds lists ordering keys that dead letters hold, by lane and key, with how many
	// pending tasks wait behind each. It looks at 10 000 of them at most, and counts no
	// further than asked.
	Holds(ctx context.Context, filter HoldFilter) ([]Hold, error)
	// Backlog counts the pending tasks of lanes, each kind no further than most. Its cost
	// grows with most and with the number of keys that are held in mode park, of which
	// at most [MostHolds] are told apart; not with the tasks behind them, as far as these
	// have [KeyMark], nor with the number of marks.
	Backlog(ctx context.Context, lanes []uint16, most int) (Backlog, error)
}

// Admin changes tasks on behalf of an operator, on the row, from any node. The
// rows of the audit log that its calls take, and those of [Config], are written in
// the same transaction if it changes something, and not if it does not; of tasks
// and queues the store completes them with what was and what is.
type Admin interface {
	// Cancel ends a pending task as canceled, or requests the cancel of a
	// running one (CancelRequested). The task as it then stands is
	// returned. CodeConflict for other states than pending and running.
	Cancel(ctx context.Context, id task.ID, audit ...Audit) (*task.Task, error)
	// Reschedule moves the next run of a pending task (zero time: now) and
	// clears its park mark. CodeConflict for other states.
	Reschedule(ctx context.Context, id task.ID, at Time, audit ...Audit) (*task.Task, error)
	// Steer does to each of many tasks what Cancel or Reschedule does, in one
	// transaction, and answers for each in the order of the ids: one that does
	// not fit keeps no other from being done. An operation that is given is put
	// in the same transaction, so that what it says of the tasks holds whatever
	// ends the process; CodeConflict, and nothing was done, if it has changed.
	Steer(ctx context.Context, steering Steering) ([]Steered, *Operation, error)
	// Redrive sends dead letters back: deletes the dead row (the loser of a
	// race finds nothing), releases the key that it holds, inserts the task
	// again, pending, with the same id, Seq and Claim, Spec.Redriven(now,
	// options.Operation), crashes 0, attempts 0 unless kept, its last error as it was. Ids
	// that are no dead letters are
	// reported in missing, and so are letters that died again after the same
	// operation had sent them back: it sends none twice. If any was sent back,
	// options.Audit is written with it. Both answers are in the order of ids.
	Redrive(ctx context.Context, ids []task.ID, options RedriveOptions) (done []Redriven, missing []task.ID, err error)
	// Purge deletes up to limit dead letters that match the filter, oldest
	// first, releases the keys that they hold, and returns them. If any was
	// deleted, the rows of the audit log are written with it.
	Purge(ctx context.Context, filter Filter, limit int, audit ...Audit) ([]*task.Task, error)
	// ReleaseKey removes the hold on a key and reports whether there was
	// one. The dead letter stays.
	ReleaseKey(ctx context.Context, queue, key string, audit ...Audit) (bool, error)
	// Cleanup deletes up to limit rows of ended tasks, histories, groups that are done and
	// dedupe entries past their retention, and rows of nodes long gone. Dead
	// letters are not touched. It returns how many rows it deleted: fewer
	// than limit only when nothing more is left to delete, however many live
	// tasks it has to pass on the way.
	Cleanup(ctx context.Context, ended Time, limit int) (int, error)
	// TrimAudit deletes up to limit rows of the audit log that were written
	// before a time, the oldest first. It returns how many it deleted: fewer
	// than limit only when no more are left to delete.
	TrimAudit(ctx context.Context, before Time, limit int) (int, error)
	// Close waits for writes in flight and releases the store. Idempotent. What is called
	// afterwards fails with ErrClosed.
	Close() error
}

// Config holds queues, what operators said about targets, the long operations
// that they started, and all other configuration as named objects.
type Config interface {
	// PutQueue creates a queue with its lanes, or changes one; lanes can
	// only be raised. The queue as stored is returned.
	PutQueue(ctx context.Context, queue Queue, audit ...Audit) (*Queue, error)
	// Queues lists queues by name.
	Queues(ctx context.Context) ([]Queue, error)
	// PauseQueue sets or clears the pause switch; CodeNotFound.
	PauseQueue(ctx context.Context, name string, paused bool, audit ...Audit) (*Queue, error)
	// PutTargetOrder stores what an operator says about a target, in place of
	// what was said of it before, and returns it with its time, which is later
	// than that of what it replaces. Topology shows it: an open order until another
	// replaces it, others for an hour, which is long enough for every node to
	// obey. CodeInvalid for a target without a name and for no action,
	// CodeConflict when 10 000 targets are ordered open already.
	PutTargetOrder(ctx context.Context, order TargetOrder, audit ...Audit) (*TargetOrder, error)
	// PutOperation inserts or replaces an operation by its id. A replace
	// succeeds only if the stored Version is operation.Version, and raises
	// it, and leaves CreatedAt as it is; else CodeConflict. The rows of the audit log are
	// written with it.
	PutOperation(ctx context.Context, operation Operation, audit ...Audit) (*Operation, error)
	// Operation returns one; CodeNotFound.
	Operation(ctx context.Context, id string) (*Operation, error)
	// Operations lists those in a state, or with "" all, the newest first, at
	// most limit.
	Operations(ctx context.Context, state OperationState, limit int) ([]Operation, error)

	// Change puts and deletes objects, writes the audit log and enqueues
	// tasks, all of it or nothing. CodeConflict, with Kind and Name of the
	// object in its message, when a stored version is not the one that is
	// given; the error of the batch when a batch is refused, as Enqueue
	// reports it (a task that is there already is no refusal); CodeInvalid
	// and CodeTooLarge for what can never be stored. Nothing has changed then.
	//
	// After any other error the outcome is unknown. A caller who gave an ID
	// repeats the call as it stands. Without one a repeat of a change that was
	// applied is a conflict: read the objects and see whose version they are,
	// or, where the new version does not depend on the old one, decide anew.
	Change(ctx context.Context, change Change) (*Changed, error)
	// Objects lists the objects of a kind, or with kind "" of all, by kind and
	// name, compared byte for byte.
	Objects(ctx context.Context, kind string) ([]Object, error)
	// Object returns one; CodeNotFound.
	Object(ctx context.Context, kind, name string) (*Object, error)
	// ObjectVersions lists what is kept of an object's versions, newest first,
	// at most limit: the last 100 of them, those made by a Quiet change left
	// out. A deleted object has them still; its end is a version without Body.
	ObjectVersions(ctx context.Context, kind, name string, limit int) ([]Object, error)
	// Audit returns a page of the audit log, newest first.
	Audit(ctx context.Context, filter AuditFilter, page Page) (rows []Audit, next string, err error)
}

// Leaser moves the ends of the leases that remote workers have.
type Leaser interface {
	// Extend makes leases end at the store's now plus lease: those of rows
	// that run under the given claim and have one. One result per item in the
	// same order: StatusOK, with whether the cancel of the task was requested,
	// or StatusStale, which has changed nothing. A lease that has ended counts
	// until Recover has handed the row back.
	Extend(ctx context.Context, items []LeaseItem, lease time.Duration) ([]Extended, error)
}

// Backend is what a database package returns: everything.
type Backend interface {
	Store
	Steps
	TaskGroups
	Leaser
	Query
	Waits
	Admin
	Config
}
