package task

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Limits that every entrance checks alike.
const (
	MaxPayload   = 1 << 20  // bytes
	MaxResult    = 64 << 10 // bytes of a result
	MaxErrorText = 16 << 10 // bytes kept of an error message
	MaxName      = 128      // runes of a type, queue or policy name
	MaxKey       = 512      // bytes of an ordering or dedupe key
	MaxRelease   = 64       // bytes of the name of a release
	MinPriority  = 0
	MaxPriority  = 9
	// DefaultPriority is what a task has that names none.
	DefaultPriority = 5
	// DefaultQueue is where a task goes that names no queue.
	DefaultQueue = "default"
	// DefaultDedupeWindow counts from acceptance.
	DefaultDedupeWindow = 24 * time.Hour
	// HTTPType is the type of a task that names only a target.
	HTTPType = "http"
	// PriorityStep is how much earlier one step of priority ranks a task:
	// ageing as a number that never changes, so nothing starves.
	PriorityStep = 30 * time.Second
)

// Task is one durable unit of work. Stores return it whole; times are UTC
// with microseconds, zero when absent.
type Task struct {
	ID       ID
	Queue    string
	Type     string
	Payload  []byte // opaque; comes back byte for byte
	State    State
	Priority int
	RunAt    time.Time // not before this time
	Key      string    // ordering key, "" for none
	Seq      int64     // order inside the key; 0 without one
	Target   string    // the unit that limits protect: the URL's host, what the handler has named, else the type
	Policy   string    // named policy, "" for the default chain
	Spec     Spec      // the rest of what the caller asked for

	Attempt         int       // attempts started and spent
	Crashes         int       // runs that were lost: their process died, or the lease of their worker ended
	Claim           int64     // claim number: grows with every claim and every loss of one
	Node            string    // who runs it: a node, or [Holder] of a remote worker; "" unless running
	StartedAt       time.Time // of the attempt that runs, or of the last one of a final task; some stores have none of one canceled while it waited
	CancelRequested bool
	Park            int64 // park mark, 0 for none; see store.ParkMark

	CreatedAt  time.Time
	UpdatedAt  time.Time
	FinishedAt time.Time // of a final task

	LastError    *Failure
	LastFailedAt time.Time       // when its last attempt that failed ended, or it died; claims come without it
	DeadReason   DeadReason      // of a dead task
	Result       json.RawMessage // of a succeeded task
	FallbackTask ID              // of a dead task with a fallback
}

// Spec is what a caller asks of a task beyond its key columns. Stores keep
// it as one JSON value and never look inside; the zero Spec is stored as
// null.
type Spec struct {
	Retry        json.RawMessage   `json:"retry,omitempty"`        // inline policy; replaces the named one whole
	MaxAttempts  int               `json:"max_attempts,omitempty"` // overrides the policy's; 0 for the policy's own
	Timeout      time.Duration     `json:"timeout,omitempty"`      // per attempt, ns; 0 for the policy's own
	Deadline     time.Time         `json:"deadline,omitzero"`      // for all attempts together
	Metadata     map[string]string `json:"metadata,omitempty"`
	HTTP         *Request          `json:"http,omitempty"` // the request to make; nil for a Go handler
	DedupeKey    string            `json:"dedupe_key,omitempty"`
	DedupeWindow time.Duration     `json:"dedupe_window,omitempty"`
	ShareKey     string            `json:"share_key,omitempty"`    // whose it is: starts of a queue go round the share keys, "" is one of them
	TraceParent  string            `json:"trace_parent,omitempty"` // W3C trace context of the enqueuer
	Fallback     *Follow           `json:"fallback,omitempty"`     // enqueued in the transaction in which the task dies
	OnSuccess    *Follow           `json:"on_success,omitempty"`   // enqueued in the transaction in which it succeeds
	OnDead       *Follow           `json:"on_dead,omitempty"`      // enqueued in the transaction in which it dies
	Alert        json.RawMessage   `json:"alert,omitempty"`        // when to tell people about this task, and whom; see alert.TaskRule
	Parent       ID                `json:"parent,omitzero"`        // the task that this one follows
	Depth        int               `json:"depth,omitempty"`        // how many fallbacks lie above this task
	Follows      FollowKind        `json:"follows,omitempty"`      // as what this task follows Parent
	RedrivenAt   time.Time         `json:"redriven_at,omitzero"`   // from when a policy's TTL counts, instead of the acceptance
	Redrive      string            `json:"redrive,omitempty"`      // the operation that sent the task back last
	Undone       int64             `json:"undone,omitempty"`       // the claim under which it died before: steps of it and earlier ones with a compensation are undone
	Group        ID                `json:"group,omitzero"`         // the [Group] that it is a member of

	// Unreadable is why the store could not read what it keeps, "" where it could. A
	// task of which it is not known what was asked never runs: it dies as permanent.
	Unreadable string `json:"-"`
}

// Redriven is the spec of a task that died under a claim and is sent back at now by an
// operation, "" for none: a deadline that has passed holds no more, the time that its
// policy gives starts anew, and so do its steps that were undone.
func (s Spec) Redriven(now time.Time, operation string, claim int64) Spec {
	if !now.Before(s.Deadline) {
		s.Deadline = time.Time{}
	}
	s.RedrivenAt, s.Redrive, s.Undone = now, operation, claim
	return s
}

// IsZero reports whether nothing was asked for.
func (s *Spec) IsZero() bool {
	return s.Retry == nil && s.MaxAttempts == 0 && s.Timeout == 0 && s.Deadline.IsZero() &&
		len(s.Metadata) == 0 && s.HTTP == nil && s.DedupeKey == "" && s.DedupeWindow == 0 &&
		s.ShareKey == "" && s.TraceParent == "" && s.Alert == nil && s.Fallback == nil && s.OnSuccess == nil && s.OnDead == nil &&
		s.Parent.IsZero() && s.Depth == 0 && s.Follows == "" && s.RedrivenAt.IsZero() && s.Redrive == "" && s.Undone == 0 &&
		s.Group.IsZero()
}

// Request is the HTTP request that a task of a target makes.
type Request struct {
	URL     string            `json:"url"`
	Method  string            `json:"method,omitempty"` // POST when empty
	Headers map[string]string `json:"headers,omitempty"`
	// Success is a condition in CEL that alone decides whether an answer is a
	// success, over status, headers and body; see docs/reference/classification.md. "" leaves it to the
	// status.
	Success string `json:"success,omitempty"`
}

// Attempt is one recorded execution of a task.
type Attempt struct {
	Number    int // attempts count from 1; an attempt that cost nothing repeats its number
	Claim     int64
	Node      string // who ran it: a node, or [Holder] of a remote worker
	StartedAt time.Time
	EndedAt   time.Time
	Outcome   Outcome
	Failure   *Failure      // nil for success and release
	NextDelay time.Duration // until the next run; 0 at the end
	Label                   // empty for an attempt that was lost with its process
}

// Lost says how a run was lost, "" for one that was not. Only the death of a node is
// that of a process: a worker whose lease has ended may live.
func (a *Attempt) Lost() string {
	if a.Outcome != OutcomeCrashed {
		return ""
	}
	return LostBy(a.Node)
}

// LostBy says how a run that its holder had was lost.
func LostBy(holder string) string {
	node, worker, _ := Runner(holder)
	if worker != "" {
		return "the lease of worker " + worker + " ended without an answer"
	}
	return "the process died: node " + node
}

// Failure is what is kept of an error.
type Failure struct {
	Category    string        `json:"category"`
	Type        string        `json:"type,omitempty"` // error class or Go type
	Code        string        `json:"code,omitempty"` // HTTP status, SQLSTATE, errno
	Effect      string        `json:"effect,omitempty"`
	Message     string        `json:"message"`
	Fingerprint string        `json:"fingerprint"`
	At          time.Time     `json:"at"`
	Delay       time.Duration `json:"delay,omitempty"` // the wait planned after it, ns
}

// BadResult is the code of a failure that says why the result of an attempt could not be
// kept.
const BadResult = "bad_result"

// DispatchFailure is the type of a failure that says why no member of a worker group
// took a task. No attempt was made.
const DispatchFailure = "dispatch"

// Rank orders pending tasks: the run time in µs, minus 30 s for each step of
// priority.
func Rank(runAt time.Time, priority int) int64 {
	return runAt.UnixMicro() - int64(priority)*PriorityStep.Microseconds()
}

// holderMark stands between the node and the worker in a holder. Names of nodes
// and workers do not have it.
const holderMark = "/"

// Holder is who runs a task that a node has leased to a remote worker of a release,
// "" for none.
func Holder(node, worker, release string) string {
	if release == "" {
		return node + holderMark + worker
	}
	return node + holderMark + worker + holderMark + release
}

// Runner tells the node, the remote worker and the worker's release of a holder
// apart. The worker is "" where the node itself runs the task.
func Runner(holder string) (node, worker, release string) {
	node, rest, _ := strings.Cut(holder, holderMark)
	worker, release, _ = strings.Cut(rest, holderMark)
	return node, worker, release
}

// Leased reports whether a holder is a remote worker.
func Leased(holder string) bool { return strings.Contains(holder, holderMark) }

// groupScheme begins the URL of a request to a worker group.
const groupScheme = "group:"

// GroupURL is the URL of a request to a worker group.
func GroupURL(group, path string) string { return groupScheme + group + path }

// GroupOf takes the URL of a request to a worker group apart; ok is false for others.
func GroupOf(url string) (group, path string, ok bool) {
	rest, ok := strings.CutPrefix(url, groupScheme)
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		return rest[:at], rest[at:], ok
	}
	return rest, "", ok
}

// Label says under what an attempt ran.
type Label struct {
	// Policy and PolicyVersion are the version of a named policy that held for the
	// attempt, and decided about a failure; empty for policies without versions
	// (presets, inline ones).
	Policy        string
	PolicyVersion int64
	Release       string // of the program that ran it, "" for none
}

// String is the label as stores keep it, "" for an empty one: payment@3, a space and
// the release. Names of policies have no space.
func (l Label) String() string {
	policy := ""
	if l.PolicyVersion > 0 {
		policy = l.Policy + "@" + strconv.FormatInt(l.PolicyVersion, 10)
	}
	if l.Release == "" {
		return policy
	}
	return policy + " " + l.Release
}

// ParseLabel reads what String made.
func ParseLabel(text string) (l Label) {
	policy, release, _ := strings.Cut(text, " ")
	l.Release = release
	if at := strings.LastIndexByte(policy, '@'); at >= 0 {
		l.Policy = policy[:at]
		l.PolicyVersion, _ = strconv.ParseInt(policy[at+1:], 10, 64)
	}
	return l
}
