package historytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Options of a run.
type Options struct {
	Seed      uint64
	Clients   int // 6 when 0
	Tasks     int // 30 when 0
	Steps     int // calls of each client, 80 when 0
	Takeovers int // times that the node is marked dead and another one goes on, 3 when 0
}

// queueName is the queue of a run, which the store must not have yet.
const queueName = "histories"

// Run lets concurrent clients work on one database and returns the tasks
// whose answers cannot be explained, each with all that its clients saw. The
// clients use the handles in turns, which may inject faults; control must not,
// and is used to set up, to take over and to read the end. It fails the test
// when a kind of answer that it is about never came.
func Run(t testing.TB, control store.Backend, handles []store.Backend, options Options) []string {
	t.Helper()
	r := newRun(t, control, options)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := r.takeOver(ctx); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range r.Clients {
		c := &client{
			run: r, number: i, backend: handles[i%len(handles)], random: rand.New(rand.NewPCG(options.Seed, uint64(i))),
		}
		wait.Go(func() { c.work(ctx) })
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		t.Fatalf("the clients did not come to an end: %v", err)
	}
	last := &client{run: r, number: r.Clients, backend: control}
	for _, id := range r.ids {
		last.read(ctx, id)
	}
	for _, needed := range []verdict{done, existing, gone, stale, conflict, missing} {
		if r.history.seen[needed] == 0 {
			t.Errorf("no call was answered by %q: this run shows little", needed)
		}
	}
	return r.history.findings()
}

// run is what the clients share.
type run struct {
	Options
	control store.Backend
	history *history
	ids     []task.ID

	mu     sync.Mutex
	node   string // that works now
	nodes  int
	lanes  []store.LaneEpoch
	claims map[task.ID][]int64 // that clients were told of, oldest first
	failed []error
}

func newRun(t testing.TB, control store.Backend, options Options) *run {
	t.Helper()
	r := &run{Options: options, control: control, history: newHistory(), claims: map[task.ID][]int64{}}
	r.Clients, r.Tasks = cmp.Or(r.Clients, 6), cmp.Or(r.Tasks, 30)
	r.Steps, r.Takeovers = cmp.Or(r.Steps, 80), cmp.Or(r.Takeovers, 3)
	queue, err := control.PutQueue(t.Context(), store.Queue{Name: queueName, Lanes: 2})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(r.Seed, 1<<32))
	for i := range r.Tasks {
		r.ids = append(r.ids, task.NewID(time.Now(), random).WithLane(queue.Numbers[i%len(queue.Numbers)]))
	}
	t.Cleanup(func() {
		for _, err := range r.failed {
			t.Errorf("histories: %v", err)
		}
	})
	return r
}

// fail notes an answer that is wrong by itself.
func (r *run) fail(format string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, fmt.Errorf(format, values...))
}

// takeOver marks the node dead, and lets another one take the lanes and
// recover what ran. Only one client does so.
func (r *run) takeOver(ctx context.Context) error {
	r.nodes++
	next := fmt.Sprintf("histories-%d", r.nodes)
	if err := r.control.Join(ctx, store.Node{ID: next, Serves: store.Serves{queueName: {AnyType: true}}, StartedAt: time.Now()}); err != nil {
		return err
	}
	if err := r.buryNode(ctx); err != nil {
		return err
	}
	topology, err := r.control.Topology(ctx)
	if err != nil {
		return err
	}
	var lanes []store.LaneEpoch
	var numbers []uint16
	for _, lane := range topology.Lanes {
		if lane.Queue == queueName {
			lanes = append(lanes, store.LaneEpoch{Lane: lane.Number, Epoch: lane.Epoch})
			numbers = append(numbers, lane.Number)
		}
	}
	taken, err := r.control.TakeLanes(ctx, next, lanes)
	if err != nil {
		return err
	}
	if len(taken) != len(lanes) {
		return fmt.Errorf("node %s took %d of %d lanes", next, len(taken), len(lanes))
	}
	r.mu.Lock()
	r.node, r.lanes = next, taken
	r.mu.Unlock()
	return r.recover(ctx, numbers)
}

// buryNode marks the node dead, whatever its clients do meanwhile.
func (r *run) buryNode(ctx context.Context) error {
	node, _ := r.working()
	for node != "" {
		topology, err := r.control.Topology(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(topology.Nodes, func(n store.Node) bool { return n.ID == node })
		if i < 0 {
			return fmt.Errorf("node %s is not in the topology", node)
		}
		buried, err := r.control.Bury(ctx, node, topology.Nodes[i].Counter)
		if buried || err != nil {
			return err
		}
	}
	return nil
}

// recover records what it takes from nodes that ended.
func (r *run) recover(ctx context.Context, lanes []uint16) error {
	for {
		began := r.history.now()
		taken, err := r.control.Recover(ctx, lanes, 7)
		if err != nil {
			return err
		}
		for _, one := range taken {
			state := task.Pending
			if one.Canceled {
				state = task.Canceled
			}
			r.history.add(r.Clients, one.ID, began, call{kind: recovers, node: one.Node, claim: one.OldClaim}, answer{done, row{state: state, claim: one.Claim}})
		}
		if len(taken) < 7 {
			return nil
		}
	}
}

// working is the node that works now, with its lanes.
func (r *run) working() (string, []store.LaneEpoch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.node, r.lanes
}

// told notes a claim number; known picks one: mostly the latest.
func (r *run) told(id task.ID, claim int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if all := r.claims[id]; claim > 0 && !slices.Contains(all, claim) {
		r.claims[id] = append(all, claim)
	}
}

func (r *run) known(id task.ID, random *rand.Rand) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.claims[id]
	switch {
	case len(all) == 0:
		return 0
	case random.IntN(5) == 0:
		return all[random.IntN(len(all))]
	}
	return all[len(all)-1]
}

// outcomeOf reads an error that says what happened, as opposed to one that
// does not.
func outcomeOf(err error) (verdict, task.State) {
	var typed *task.Error
	if !errors.As(err, &typed) {
		return unknown, absent
	}
	switch typed.Code {
	case task.CodeConflict:
		return conflict, typed.State
	case task.CodeNotFound:
		return missing, absent
	}
	return unknown, absent
}

func rowOf(t *task.Task) row {
	return row{state: t.State, claim: t.Claim, attempt: t.Attempt, cancel: t.CancelRequested, node: t.Node}
}
