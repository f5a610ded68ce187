package inspector

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/internal/feed"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/roster"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// Config is what an inspector is made of: the parts of one node, and functions for what
// only the node itself knows. All are safe for concurrent use.
type Config struct {
	Backend store.Backend
	// Sealing is the backend again, as what encrypts.
	Sealing *sealed.Store
	Logger  *slog.Logger
	// Fleet, Memory and Control are the engine of the node, which need not run.
	Fleet   Fleet
	Memory  Memory
	Control Control

	Letters *dead.Keeper
	Bulk    *bulk.Runner
	Alerts  *keeper.Keeper
	Stats   *stats.Keeper
	Series  *stats.Series
	Tokens  *token.Keeper
	Feed    *feed.Feed
	Roster  *roster.Roster

	// Policies and Schedules are what the node knows of policies and how it makes tasks
	// of schedules.
	Policies  PolicySource
	Schedules ScheduleRunner

	// Running is nil while the node runs; else it says why it does not.
	Running func() error
	// Progress is what an attempt that runs on this node last reported, nil for nothing.
	Progress func(t *task.Task) json.RawMessage
	// Asked is told what somebody has done with a task that goes on, and Ended of one that
	// was canceled, also where it has yet to end.
	Asked func(t *task.Task, what inspect.EventKind)
	Ended func(t *task.Task)
	// Redriven counts letters that went back at once, and ids that were none.
	Redriven func(redriven, missing int)
	// Calls is the check of addresses that nodes may call, nil where any may be.
	Calls      func(ctx context.Context) func(queue string, address netip.Addr) *safehttp.RefusedError
	TaskGroups TaskGroupKeeper
	// DeadBacklog is from how many dead letters on people are told.
	DeadBacklog int
}

// Fleet is who there is, as the node knows. The engine implements it.
type Fleet interface {
	// Node is the id of this node.
	Node() string
	// Topology is what was read last, without queues where nothing was. It must not be
	// changed.
	Topology() *store.Topology
	// TopologyAt is when that was, the zero time for never.
	TopologyAt() time.Time
	// Silent is for how long another node has told nothing new, if this one judges it.
	Silent(node string) (time.Duration, bool)
	// Queue is one of the topology.
	Queue(name string) (store.Queue, bool)
}

// Memory is what the node has in memory. The engine implements it.
type Memory interface {
	// Explain is why a task does not run, if it is in memory.
	Explain(id task.ID) (task.WaitReason, bool)
	// Lease is until when a remote worker has a task, and what that last reported.
	Lease(t *task.Task) (until time.Time, progress json.RawMessage)
	// Target is one target, if a task of it is known.
	Target(name string) (store.Target, bool)
	// Targets are all of them, and Troubled those that are, or were within a minute, held
	// back.
	Targets() []store.Target
	Troubled() []store.Target
	// Shares are the share keys of a queue, and how many there are; ShareHeld is the limit
	// that holds one up, if one does.
	Shares(queue string, most int) ([]agenda.ShareCounts, int)
	ShareHeld(queue, key string) task.WaitReason
	// Known counts tasks, by lane.
	Known() map[uint16]int
	// Stats counts tasks and slots.
	Stats() inspect.NodeStats
}

// Control lets the node know at once what others find out by their next look.
// The engine implements it.
type Control interface {
	// Canceled is told of a task whose cancel was asked for.
	Canceled(id task.ID)
	// Steered is told of tasks that were moved, of which only the rows are known.
	Steered(tasks []*task.Task)
	// Rescheduled is told of a task with another time of its next run.
	Rescheduled(t *task.Task)
	// Refresh reads the topology and what is configured, and Stir looks again at what
	// waits.
	Refresh(ctx context.Context) error
	Stir(ctx context.Context)
	// Wake lets the owners of lanes look for tasks.
	Wake(lanes ...uint16)
}

// PolicySource is what a node knows of policies.
type PolicySource struct {
	// Of is the policy that holds for a task, and its name. The error is that of an inline
	// policy that cannot be read.
	Of func(t *task.Task) (*retry.Policy, string, error)
	// Alert is the alert that holds for a task, nil for none of its own.
	Alert func(t *task.Task) json.RawMessage
	// Set are the policies that hold here, and Read those that are in the store now.
	Set  func() *policy.Set
	Read func(ctx context.Context) (*policy.Set, error)
	// Load lets what is in the store hold here, on a node that has not started; others do
	// so by themselves.
	Load func(ctx context.Context) error
	// Check looks for what a policy names, such as channels and queues.
	Check func(ctx context.Context, made *policy.Policy) error
	// Types have a handler on this node.
	Types func() []string
}

// TaskGroupKeeper is how a node makes groups of tasks.
type TaskGroupKeeper struct {
	// Check completes a group that is to be made, and finds all that is wrong with it.
	Check func(ctx context.Context, g *task.Group) error
	// Finish enqueues the callback of a group where nothing else is missing.
	Finish func(ctx context.Context, id task.ID) (*task.Group, error)
}

// ScheduleRunner is how a node makes tasks of schedules.
type ScheduleRunner struct {
	// Now is the time by which ticks come, that of the store.
	Now func(ctx context.Context) time.Time
	// Check finds all that is wrong with a schedule.
	Check func(ctx context.Context, s *inspect.Schedule) error
	// Owned refuses to change a schedule that the code of a living node names.
	Owned func(ctx context.Context, name string) error
	// Run makes the task of a schedule that runs now, under an id.
	Run func(ctx context.Context, s *inspect.Schedule, id task.ID) (store.Insert, error)
	// Accepted counts such a task, and returns it as it was stored, or the one that was
	// there already.
	Accepted func(ctx context.Context, insert *store.Insert, inserted *store.Inserted) (t *task.Task, existing bool)
	// Refused counts one that was not accepted, and returns the reason.
	Refused func(ctx context.Context, err error) error
}
