package outlast

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Client is one node of Outlast inside this process.
type Client struct{}

// Option changes what [Open] makes.
type Option func(*options)

type options struct{}

func WithQueues(names ...string) Option                    { return nil }
func WithSlots(n int) Option                               { return nil }
func WithLogger(logger *slog.Logger) Option                { return nil }
func WithRegisterer(r prometheus.Registerer) Option        { return nil }
func AllowTargets(prefixes ...netip.Prefix) Option         { return nil }
func WithRelease(release string) Option                    { return nil }
func WithAddress(address string) Option                    { return nil }
func EnqueueOnly() Option                                  { return nil }
func AsServer() Option                                     { return nil }
func WithGrace(d time.Duration) Option                     { return nil }
func WithObserver(o engine.Observer) Option                { return nil }
func WithDeadRetention(d time.Duration) Option             { return nil }
func WithDoneRetention(d time.Duration) Option             { return nil }
func WithCleanup(cron, zone string) Option                 { return nil }
func WithStatsEvery(d time.Duration) Option                { return nil }
func WithTargetSecret(host string, secret []byte) Option   { return nil }
func WithEngine(change func(config *engine.Config)) Option { return nil }

func Open(ctx context.Context, backend store.Backend, opts ...Option) (*Client, error) {
	return nil, nil
}
func (c *Client) Start(ctx context.Context) error                       { return nil }
func (c *Client) Stop(ctx context.Context) error                        { return nil }
func (c *Client) Ready() error                                          { return nil }
func (c *Client) Stats() engine.Stats                                   { return engine.Stats{} }
func (c *Client) Enqueue(ctx context.Context, d Draft) (Receipt, error) { return Receipt{}, nil }
func (c *Client) EnqueueMany(ctx context.Context, drafts []Draft, atomic bool) ([]Receipt, error) {
	return nil, nil
}
func (c *Client) EnqueueTx(ctx context.Context, tx *sql.Tx, drafts ...Draft) ([]Receipt, error) {
	return nil, nil
}
func (c *Client) Wait(ctx context.Context, id ID) (*Task, error)  { return nil, nil }
func (c *Client) Run(ctx context.Context, d Draft) (*Task, error) { return nil, nil }
func (c *Client) Inspector() *Inspector                           { return nil }

// NewID makes an id for a draft.
func NewID() ID { return ID{} }

// DeadError is the error of a task that died.
type DeadError struct {
	ID      ID
	Type    string
	Reason  task.DeadReason
	Attempt int
	Failure *task.Failure
}

func (e *DeadError) Error() string { return "" }

type HandleOption func(*typeRules)
type typeRules struct{}

func Policy(name string) HandleOption         { return nil }
func Retry(policy *retry.Policy) HandleOption { return nil }
func Interval(d time.Duration) HandleOption   { return nil }
func MaxAttempts(n int) HandleOption          { return nil }
func Timeout(d time.Duration) HandleOption    { return nil }
func Delay(d time.Duration) HandleOption      { return nil }

func Handle[T any](c *Client, taskType string, fn func(ctx context.Context, payload T) error, opts ...HandleOption) {
}
func HandleResult[T, R any](c *Client, taskType string, fn func(ctx context.Context, payload T) (R, error), opts ...HandleOption) {
}

type Function[A any] struct{}

func Func[A any](c *Client, name string, fn func(context.Context, A) error, opts ...HandleOption) *Function[A] {
	return nil
}

func RetryAfter(d time.Duration, err error) error { return err }
func Snooze(d time.Duration) error                { return nil }
func Dead(err error) error                        { return err }
func Cancel(err error) error                      { return err }

// RunInfo is what a handler can know of its attempt.
type RunInfo struct {
	ID          ID
	Type        string
	Queue       string
	Key         string
	Attempt     int
	Claim       int64
	MaxAttempts int
	Deadline    time.Time
	Metadata    map[string]string
	TraceParent string
}

func Info(ctx context.Context) (RunInfo, bool)  { return RunInfo{}, false }
func Progress(ctx context.Context, v any) error { return nil }

type Inspector struct{}

// View is a task as people look at it.
type View struct {
	*Task
	Waiting       task.Waiting    // why it is not running; "" unless pending
	MaxAttempts   int             // 0 for unlimited
	PolicyName    string          // the policy that holds: "inline", a name, "default"
	FallbackState task.State      // of FallbackTask, "" without one
	FallbackError *task.Failure   // last error of FallbackTask
	Progress      json.RawMessage // last reported by a handler of this process
}

func (i *Inspector) Get(ctx context.Context, id ID) (*View, error)             { return nil, nil }
func (i *Inspector) View(ctx context.Context, tasks ...*Task) ([]*View, error) { return nil, nil }
func (i *Inspector) Attempts(ctx context.Context, id ID) ([]Attempt, error)    { return nil, nil }
func (i *Inspector) Find(ctx context.Context, f store.Filter, p store.Page) ([]*View, string, error) {
	return nil, "", nil
}
func (i *Inspector) Count(ctx context.Context, f store.Filter, limit int) (int, error) { return 0, nil }
func (i *Inspector) Cancel(ctx context.Context, id ID) (*View, error)                  { return nil, nil }
func (i *Inspector) RetryNow(ctx context.Context, id ID) (*View, error)                { return nil, nil }
func (i *Inspector) Reschedule(ctx context.Context, id ID, at time.Time) (*View, error) {
	return nil, nil
}
func (i *Inspector) Dead(ctx context.Context, f store.Filter, p store.Page) ([]*View, string, error) {
	return nil, "", nil
}
func (i *Inspector) DeadStats(ctx context.Context) (*store.DeadStats, error) { return nil, nil }
func (i *Inspector) DeadGroups(ctx context.Context, f store.Filter, limit int) ([]store.DeadGroup, error) {
	return nil, nil
}
func (i *Inspector) Purge(ctx context.Context, f store.Filter, dryRun bool) (int, error) {
	return 0, nil
}
func (i *Inspector) Export(ctx context.Context, f store.Filter, each func(*Task, []Attempt) error) error {
	return nil
}

// RedriveRequest says which dead letters to send back, and how.
type RedriveRequest struct {
	IDs          []ID
	Filter       *store.Filter
	DryRun       bool
	Rate         float64 // letters per second, 0 for at once
	KeepAttempts bool
	Payload      []byte
}

// RedriveResult is the answer to a [RedriveRequest].
type RedriveResult struct {
	Operation string // id of the operation, "" for ids and dry runs
	Matched   int
	Missing   []ID
	Sample    []ID
}

func (i *Inspector) Redrive(ctx context.Context, r RedriveRequest) (RedriveResult, error) {
	return RedriveResult{}, nil
}
func (i *Inspector) Operation(ctx context.Context, id string) (*store.Operation, error) {
	return nil, nil
}
func (i *Inspector) Operations(ctx context.Context, n int) ([]store.Operation, error) {
	return nil, nil
}
func (i *Inspector) PauseOperation(ctx context.Context, id string) (*store.Operation, error) {
	return nil, nil
}
func (i *Inspector) ResumeOperation(ctx context.Context, id string) (*store.Operation, error) {
	return nil, nil
}
func (i *Inspector) CancelOperation(ctx context.Context, id string) (*store.Operation, error) {
	return nil, nil
}
func (i *Inspector) Queues(ctx context.Context) ([]Queue, error)           { return nil, nil }
func (i *Inspector) PutQueue(ctx context.Context, q Queue) (*Queue, error) { return nil, nil }
func (i *Inspector) PauseQueue(ctx context.Context, name string, paused bool) (*Queue, error) {
	return nil, nil
}
func (i *Inspector) QueueStats(ctx context.Context) (map[string]QueueStats, error) { return nil, nil }
func (i *Inspector) ReleaseKey(ctx context.Context, queue, key string) (bool, error) {
	return false, nil
}
func (i *Inspector) Topology(ctx context.Context) (*store.Topology, error) { return nil, nil }

// QueueStats counts one queue.
type QueueStats struct {
	Pending, Running, Dead             int // over all nodes, counted no further than 10 000 each
	Lanes, Waiting, Ready, RunningHere int // of this node's memory
}
