// Package taskgroups makes groups of tasks done: it enqueues the callback of each whose members
// have all ended.
//
// Members are counted by the store, in the transactions that change them. The node that has
// ended some looks at their groups right after the commit; where it died in between, or
// somebody else has ended the last member, one of the nodes finds the group by looking at those that
// are closed.
package taskgroups

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// together is how long ends are gathered before their groups are looked at.
	together = 50 * time.Millisecond
	// sweepEvery is how often one of the nodes looks at groups that are closed.
	sweepEvery = 5 * time.Second
	// sweepMost is how many it looks at then. It goes on behind them the next time.
	sweepMost = 100
	// again is the wait after an error.
	again = time.Second
	// callTimeout bounds one look.
	callTimeout = 30 * time.Second
	// mostRaces is how often a look starts again because something was counted meanwhile.
	mostRaces = 10
)

// Node is what a keeper needs of the engine.
type Node interface {
	Node() string
	Topology() *store.Topology
	Wake(lanes ...uint16)
}

// Config is what a keeper is made of. All is required.
type Config struct {
	Store store.TaskGroups
	Node  Node
	// Callback makes the callback of a group that is complete: with the same id whenever it
	// is asked for the same one.
	Callback func(g *task.Group) (store.Insert, error)
	Logger   *slog.Logger
}

// Keeper makes groups done. It is safe for concurrent use.
type Keeper struct {
	config Config
	loops  background.Loops
	told   chan struct{}

	mu    sync.Mutex
	ended map[task.ID]bool // groups of which members have ended that nobody has looked at since

	before task.ID // where the sweep goes on; its loop's own
}

// New makes a keeper. It does nothing before Start but what it is asked for.
func New(config Config) *Keeper {
	return &Keeper{config: config, told: make(chan struct{}, 1), ended: map[task.ID]bool{}}
}

// Start begins to look at groups.
func (k *Keeper) Start(ctx context.Context) { k.loops.Start(ctx, k.look, k.sweep) }

// Stop ends that, when what was told of has been looked at, but no later than ctx.
func (k *Keeper) Stop(ctx context.Context) error {
	err := k.loops.Stop(ctx)
	if ctx.Err() == nil {
		k.Flush(ctx)
	}
	return err
}

// Ended is told of the group of a member that has ended, after the commit. It does not wait.
func (k *Keeper) Ended(group task.ID) {
	if group.IsZero() {
		return
	}
	k.mu.Lock()
	k.ended[group] = true
	k.mu.Unlock()
	select {
	case k.told <- struct{}{}:
	default:
	}
}

// look looks at the groups of members that have ended here.
func (k *Keeper) look(ctx context.Context) {
	for {
		select {
		case <-k.told:
		case <-ctx.Done():
			return
		}
		if !background.Sleep(ctx, together) {
			return
		}
		if !k.Flush(ctx) && !background.Sleep(ctx, again) {
			return
		}
	}
}

// Flush looks at the groups that were told of, and reports whether it could. Those at which it
// could not look are looked at again.
func (k *Keeper) Flush(ctx context.Context) bool {
	k.mu.Lock()
	groups := slices.SortedFunc(maps.Keys(k.ended), task.ID.Compare)
	clear(k.ended)
	k.mu.Unlock()
	whole := true
	for _, id := range groups {
		if _, err := k.Finish(ctx, id); err != nil && !lasting(err) {
			k.failed(ctx, id, err)
			k.Ended(id)
			whole = false
		}
	}
	return whole
}

// lasting reports whether an error stays however often the call is repeated: the group has
// gone.
func lasting(err error) bool { return errors.Is(err, &task.Error{Code: task.CodeNotFound}) }

func (k *Keeper) failed(ctx context.Context, id task.ID, err error) {
	if ctx.Err() == nil {
		k.config.Logger.WarnContext(ctx, "task_group.unfinished", slog.String("group", id.String()), slog.Any("error", err))
	}
}

// Finish makes a group done if nothing is missing but that, and returns it as it then stands.
func (k *Keeper) Finish(ctx context.Context, id task.ID) (*task.Group, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for range mostRaces {
		group, err := k.config.Store.Group(ctx, id)
		if err != nil || !group.Complete() {
			return group, err
		}
		callback, err := k.config.Callback(group)
		if err != nil {
			return nil, err
		}
		done, err := k.config.Store.FinishGroup(ctx, id, group.Counts, callback)
		if err != nil {
			return nil, err
		}
		if done.State == task.GroupDone {
			k.config.Node.Wake(done.CallbackTask.Lane())
			return done, nil
		}
	}
	return nil, &task.Error{Code: task.CodeUnavailable, Message: "the group of tasks " + id.String() + " changes all the time", RetryAfter: again}
}

// sweep looks for groups whose last end nobody has followed up.
func (k *Keeper) sweep(ctx context.Context) {
	for background.Idle(ctx, sweepEvery) {
		if k.config.Node.Topology().First(k.config.Node.Node()) {
			k.Sweep(ctx)
		}
	}
}

// Sweep looks at some of the groups that are closed, behind those that it looked at before.
// Only its loop, or who has started none, may call it.
func (k *Keeper) Sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	groups, err := k.config.Store.Groups(ctx, task.GroupClosed, k.before, sweepMost)
	if err != nil {
		return // the next look tries again
	}
	k.before = task.ID{}
	if len(groups) == sweepMost {
		k.before = groups[sweepMost-1].ID
	}
	for i := range groups {
		if !groups[i].Complete() {
			continue
		}
		if _, err := k.Finish(ctx, groups[i].ID); err != nil && !lasting(err) {
			k.failed(ctx, groups[i].ID, err)
		}
	}
}
