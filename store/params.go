package store

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Time is a UTC time with microseconds; the zero value means "none" or
// "now", as the method says.
type Time = time.Time

// Queue is a named stream of tasks.
type Queue struct {
	Name        string
	Lanes       int      // 1 to 256; 8 when 0; can only be raised
	KeyLanes    int      // lanes at creation; keys go on hashing over these. Set by the store
	Numbers     []uint16 // the lanes' numbers in order. Set by the store
	Paused      bool
	Policy      string      // named policy, "" for default
	UnknownType string      // "park" (default) or "dead"
	Concurrency int         // running tasks over all nodes, 0 for no limit
	MaxPending  int         // pending tasks beyond which enqueues are refused, 0 for no limit
	Shares      ShareLimits // of the tasks of each share key
	Weight      int         // share of a node's slots against other queues, 1 when 0
	Pending     int         // pending tasks, counted no further than MaxPending; read only where that is set
	UpdatedAt   Time

	// Doubt is why the policy that is kept is not that in Policy: nobody vouches for it.
	// Policy is then that which the process has Known until now, or "" if it has known
	// none. Only package sealed sets them.
	Doubt error `json:"-"`
	Known bool  `json:"-"`
}

// PolicyProof stands between the name of a policy and its proof where a queue is kept
// with both; see package sealed.
const PolicyProof = " 1:"

// NodeState says whether a node takes part.
type NodeState string

// The node states. Left and dead are final.
const (
	NodeAlive NodeState = "alive"
	NodeLeft  NodeState = "left"
	NodeDead  NodeState = "dead"
)

// Node is a process that owns lanes and runs their tasks.
type Node struct {
	ID        string // new at every process start
	Address   string // where its API listens, "" for none
	Version   string
	Release   string
	Embedded  bool // an application with the library inside, not a server
	State     NodeState
	Counter   int64
	Serves    Serves
	Targets   []Target // what it says of targets that others should know of
	Load      Load     // at its last beat
	StartedAt Time
	// WakeKey proves to the node that a wake-up call comes from one who can
	// read the database: at most 64 bytes of ASCII, "" where the node takes
	// no calls. It is a secret: nothing shows or logs it.
	WakeKey string `json:"-"`
	// Gone is set by stores that know for certain that the process has
	// ended (SQLite: its OS lock is free); nobody needs to wait for it.
	Gone bool
}

// Load is how busy a node is.
type Load struct {
	Running int // attempts in progress
	Slots   int // attempts at most
}

// Lane is a slice of a queue.
type Lane struct {
	Number uint16
	Queue  string
	Owner  string // node id, "" for none
	Epoch  int64
}

// LaneEpoch names a lane at an epoch.
type LaneEpoch struct {
	Lane  uint16
	Epoch int64
}

// Topology is who there is, who owns what, and what operators ordered.
type Topology struct {
	Queues []Queue // by name
	Lanes  []Lane
	Nodes  []Node
	Orders []TargetOrder // by target
	// Config is raised by every Change that puts or deletes objects and is not
	// Quiet, so that nodes know when to read objects again.
	Config int64
}

// First reports whether a node is the one that does what one node is enough for: the
// living one with the smallest id, and any where nobody is known to live. Two may be for
// a moment.
func (t *Topology) First(node string) bool {
	return !slices.ContainsFunc(t.Nodes, func(n Node) bool { return n.State == NodeAlive && n.ID < node })
}

// Probe is what there is to tell about a database server and the way to it.
type Probe struct {
	Ahead time.Duration // the server's clock is ahead of this process' by so much, give or take half of Took
	Took  time.Duration // the round trip
	InUse int           // connections of the pool that are in use
	Most  int           // that the pool has at most; 0 for any number

	// Until is to when there is room for what ends, of stores with a table for each
	// day, which make those of the next days in Migrate and Cleanup; zero for others.
	Until Time
}

// Batch is inserted as a whole or not at all.
type Batch struct{ Items []Insert }

// Insert is one task to insert. Task is complete: id with its lane, queue,
// type, payload, priority, key, target, policy, spec. A zero RunAt means
// the store's now plus Delay. The store sets state, seq, rank, created_at.
type Insert struct {
	Task   *task.Task
	Delay  time.Duration
	Dedupe *Dedupe
}

// Dedupe asks for the dedupe check: a live entry of (Lane, queue, Key) with
// the same Content answers with its task, with other content fails with
// CodeDedupeConflict. An entry lives until its window has passed and, after
// that, while its task is pending or running.
type Dedupe struct {
	Lane    uint16 // the lane of the entry: the hash of the dedupe key
	Key     string
	Window  time.Duration
	Content [16]byte // hash of type, payload, target, ordering key and time as sent
}

// BatchResult has one Inserted per item, or the reason why the batch was
// refused as a whole.
type BatchResult struct {
	Items []Inserted
	Err   error
}

// Inserted is the fate of one item.
type Inserted struct {
	Entry    Entry      // of a new row
	Existing *task.Task // the task that was there already; Entry is zero then
	Created  Time
}

// Entry is what the owner of a lane keeps in memory of a pending row. Times
// are µs since 1970.
type Entry struct {
	ID      task.ID
	RunAt   int64
	Rank    int64
	Seq     int64
	Park    int64
	Key     string
	Share   string // share key
	Type    string
	Target  string
	Attempt int
	Crashes int
	Size    int // payload bytes
}

// Range asks Scan for rows of one lane and one park mark with
// (Rank, ID) > (After, AfterID) and Rank <= Until.
type Range struct {
	Lane    uint16
	Park    int64
	After   int64
	AfterID task.ID
	Until   int64
	Limit   int
}

// Claim asks for rows to run.
type Claim struct {
	Node     string
	Lanes    []LaneEpoch // of every lane that occurs with Mark 0
	Items    []ClaimItem
	MaxBytes int // 8 MiB when 0

	Worker  string        // of a claim for a remote worker, its name
	Release string        // the worker's, "" for none
	Lease   time.Duration // from the store's now on, µs count; 0 for a claim of the node itself
}

// Holder is who holds the rows of the claim while they run.
func (c *Claim) Holder() string {
	if c.Lease == 0 {
		return c.Node
	}
	return task.Holder(c.Node, c.Worker, c.Release)
}

// LeaseItem names a running row with a lease, by its claim.
type LeaseItem struct {
	ID    task.ID
	Claim int64
}

// Extended is the answer to one LeaseItem.
type Extended struct {
	Status          Status // StatusOK or StatusStale
	CancelRequested bool
}

// ClaimItem names one row. Mark is 0 for the owner of the lane; a borrower,
// which has no epoch, names the park mark that the row must have. A claimed
// row loses its mark.
type ClaimItem struct {
	ID   task.ID
	Mark int64
}

// Claimed is the answer to Claim.
type Claimed struct {
	Tasks   []*task.Task
	Refused []Refusal
}

// Reason says why a row was not claimed: of several reasons the first in the order below, but
// that a hold on the key comes before what else is in front of it.
type Reason string

// The reasons.
const (
	ReasonGone      Reason = "gone"       // not pending any more: ended, or running elsewhere
	ReasonEpoch     Reason = "epoch"      // the lane has another owner, or the node is not alive
	ReasonLater     Reason = "later"      // RunAt is in the future; Entry has it
	ReasonParked    Reason = "parked"     // has another park mark than the item says; Entry has it
	ReasonBehindKey Reason = "behind key" // another task of the key runs or is first; Head is that task
	ReasonKeyHeld   Reason = "key held"   // a dead task of the key blocks it
)

// Refusal is one row that was not claimed.
type Refusal struct {
	ID     task.ID
	Reason Reason
	Entry  Entry // the row as it stands; zero for ReasonGone
	Head   Entry // for ReasonBehindKey: the row that is first; zero if that one runs
}

// KeptRuns is how many rows the history of a live task has of runs that were
// snoozed or released: a task that is snoozed each minute must not grow for as
// long as it waits.
const KeptRuns = 20

// Settlement ends one attempt.
//
//   - succeeded: the row moves to done with Result.
//   - failed: a history row; pending again at RunAt.
//   - snoozed, released: as failed, but Attempt - 1, and the claim number is
//     raised by a release.
//   - dead: the row moves to dead with DeadReason, Failure and its attempts
//     (the last 100); the key is held unless OrderOnDead is "skip";
//     counters.
//   - canceled: the row moves to done as canceled.
//
// A failed, snoozed or released settlement of a row whose cancel was
// requested ends as canceled. A failure keeps LastError on the row. Follow is
// inserted in the same transaction, whatever becomes of the task.
type Settlement struct {
	Task        *task.Task // as claimed; ID and Claim are the fence
	Outcome     task.Outcome
	StartedAt   Time
	EndedAt     Time
	RunAt       Time // next run of a failed, snoozed or released task; zero for now
	Failure     *task.Failure
	Result      []byte
	DeadReason  task.DeadReason
	OrderOnDead string // "block", also where it is empty, "skip" or "park"
	Follow      []Insert
	Label       task.Label // kept with the attempt
	// Awaits are the signals for which a snoozed task waits until RunAt. If one of them is
	// there, or any other end of its wait, the next run is now instead: a signal is either
	// seen by the settlement, or sees the task as it waits.
	Awaits []string
	// Unstarted says that the attempt never started (its deadline had
	// passed, its crash budget was spent, nothing handles it): Attempt - 1
	// and no history row.
	Unstarted bool
}

// Status is what became of a settlement.
type Status string

// The statuses.
const (
	StatusOK       Status = "ok"
	StatusStale    Status = "stale_claim"
	StatusNotFound Status = "not_found"
	StatusRefused  Status = "refused" // the store refuses the data; Err says why. Nothing was changed
)

// Settled is the answer to one settlement.
type Settled struct {
	Status Status
	// State is what the task is now, if Status is ok: canceled where a
	// cancel request met a failure.
	State task.State
	// Entry is the row when it is pending again.
	Entry Entry
	Err   error
}

// Recovered is one row that Recover handed back.
type Recovered struct {
	Entry    Entry // zero when it ended as canceled
	ID       task.ID
	Type     string
	Node     string
	OldClaim int64
	Claim    int64
	Crashes  int
	Canceled bool

	// For the log:
	Cause       string // "node dead", "node left", "node unknown", "lease expired"
	Attempt     int    // of the run that was lost
	Queue       string
	TraceParent string
}

// Marking sets the park mark of one row.
type Marking struct {
	ID   task.ID
	Mark int64
}

// Filter selects tasks. Zero fields do not filter. Since and Until bound
// the time of the id (creation).
type Filter struct {
	IDs         []task.ID
	State       task.State
	Live        bool // pending and running tasks only
	Type        string
	Queue       string
	Key         string
	Category    string // of the last error
	Trace       string // trace id inside the trace parent
	Since       Time
	Until       Time
	Reason      task.DeadReason
	Fingerprint string
	DiedBefore  Time // dead letters only; by the store's clock
	// FailedSince and FailedUntil bound the time of the last failure: of tasks in
	// any state, those that have succeeded since included. Failed selects those that
	// have failed and not succeeded since. With one of the three, and without IDs,
	// Find lists the newest failure first.
	FailedSince Time `json:",omitzero"`
	FailedUntil Time `json:",omitzero"`
	Failed      bool `json:",omitempty"`
	Target      string
	AttemptMin  int               // tasks with at least so many attempts
	Metadata    map[string]string // each of them, as it is
	// Search is a key or a type as it is, or a part of the last error's message,
	// whatever the case of its letters. A store that seals messages finds no part of
	// them in Count, Letters, Purge and DeadGroups, and refuses it there.
	Search string
	// Without is a queue whose tasks are left out.
	Without string `json:",omitempty"`
	// Queues are all that who asks may see, nil for every one: a task of another queue
	// is as if there were none. None takes up the rows that a call looks at of dead
	// letters, and no cursor is made of one's id.
	Queues []string `json:",omitempty"`
}

// ByFailure reports whether the filter is one of failures: a task that has never failed
// does not match.
func (f *Filter) ByFailure() bool {
	return f.Failed || !f.FailedSince.IsZero() || !f.FailedUntil.IsZero()
}

// Page is a keyset page. Limit is 1 to 500, 100 when 0. Cursor is "" for
// the first page, else the next of the one before; a bad one is CodeInvalid
// with field "cursor".
type Page struct {
	Limit  int
	Cursor string
	Bare   bool // tasks come without Payload and Result, which are not read: they end no page
}

// DeadStats counts dead letters.
type DeadStats struct {
	Total      int            `json:"total"`
	ByType     map[string]int `json:"by_type"`
	ByReason   map[string]int `json:"by_reason"`
	ByCategory map[string]int `json:"by_category"`
}

// DeadGroup is what dead letters of one fingerprint have in common.
type DeadGroup struct {
	Fingerprint string
	Count       int
	Type        string
	Reason      task.DeadReason
	Category    string
	Message     string // of the example
	FirstSeen   Time
	LastSeen    Time
	Example     task.ID
}

// DeadPart is a number of letters that died in one hour.
type DeadPart struct {
	Fingerprint string
	Reason      task.DeadReason
	Target      string
	Node        string // or holder, that ran the last attempt
	Hour        int64  // since 1970; 0 for any before the time asked for
	Count       int
}

// KeyState is what is ahead in an ordering key.
type KeyState struct {
	Held    bool // a dead task blocks the key
	Holder  task.ID
	Mode    string // "block" or "park"
	Since   Time
	Running task.ID // zero if none runs
	First   task.ID // the pending row that is next; zero if none
}

// Hold is an ordering key that a dead letter holds.
type Hold struct {
	Queue   string // that of the lane; set by who knows it, not by stores
	Lane    uint16
	Key     string
	Holder  task.ID // the dead letter
	Mode    string  // "block" or "park"
	Since   Time
	Waiting int // pending tasks behind it, counted no further than asked
}

// HoldFilter selects holds of lanes, behind a place in the order of lane and key.
type HoldFilter struct {
	Lanes     []uint16
	Mode      string // "" for any
	Waited    bool   // only those that tasks wait behind
	AfterLane uint16
	AfterKey  string
	Limit     int
	Count     int // where counting who waits ends; 0 for not at all
}

// MostHolds is how many holds one call looks at.
const MostHolds = 10_000

// Takes reports whether a hold is one of those selected, but for its place.
func (f *HoldFilter) Takes(hold *Hold) bool {
	return (f.Mode == "" || f.Mode == hold.Mode) && slices.Contains(f.Lanes, hold.Lane)
}

// Behind counts who waits behind holds that a filter has selected, as far as it asks,
// and leaves out those that it does not.
func Behind(holds []Hold, filter HoldFilter, count func(hold *Hold, most int) (int, error)) (found []Hold, err error) {
	most := filter.Count
	if filter.Waited {
		most = max(most, 1)
	}
	for i := range holds {
		if len(found) == filter.Limit {
			break
		}
		if most > 0 {
			if holds[i].Waiting, err = count(&holds[i], most); err != nil {
				return nil, err
			}
		}
		if !filter.Waited || holds[i].Waiting > 0 {
			holds[i].Waiting = min(holds[i].Waiting, filter.Count)
			found = append(found, holds[i])
		}
	}
	return found, nil
}

// RedriveOptions steer a redrive.
type RedriveOptions struct {
	KeepAttempts bool
	RunAt        []Time // per id; nil for now. Paces a redrive with a rate
	Payload      []byte // replaces the payload when not nil

	// Operation is what sends the letters back, kept in Spec.Redrive: what it
	// has sent back before stays where it is. "" for none.
	Operation string
	Audit     []Audit // rows of the audit log, if any letter is sent back
}

// Redriven is what is told of a dead letter that was sent back, as it was before.
type Redriven struct {
	ID          task.ID
	Type, Queue string
	Attempt     int
	Claim       int64
	TraceParent string
}

// Letter is what a redrive needs to know of a dead letter to keep the order of
// its key.
type Letter struct {
	ID  task.ID
	Key string
	Seq int64
}

// OperationState says where a long operation stands.
type OperationState string

// The states of an operation. Done, canceled and failed are final.
const (
	OperationRunning  OperationState = "running"
	OperationPaused   OperationState = "paused"
	OperationDone     OperationState = "done"
	OperationCanceled OperationState = "canceled"
	OperationFailed   OperationState = "failed"
)

// Operation is a long action of an operator, such as a redrive by filter.
// It survives its process: whoever holds Node works on it.
type Operation struct {
	ID         string
	Kind       string // "redrive"
	State      OperationState
	Request    []byte // what was asked for, JSON
	Node       string // who works on it, "" for nobody
	Matched    int    // letters that matched when it began
	Done       int    // letters handled so far
	Error      string
	Version    int64 // raised by every PutOperation
	CreatedAt  Time
	UpdatedAt  Time
	FinishedAt Time
}
