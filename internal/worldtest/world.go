package worldtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/historytest"
	"github.com/outlast-dev/outlast/internal/taskgroups"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// world is one run.
type world struct {
	*book
	deeds   *deeds
	t       testing.TB
	plan    *plan
	memory  *memory.Store
	truth   store.Backend
	history *historytest.History
	policy  *retry.Policy
	turns   map[task.ID][]turn
	sent    map[string]*historytest.Queue
	numbers map[string][]uint16 // lanes of the queues
	slowest time.Duration
	shift   atomic.Int64 // of the store's clock
	calmed  atomic.Bool
	over    atomic.Bool // workers are to end

	nodes    []*process // by place; guarded by the book's lock, as the next two
	everyone map[string]*process
	noisy    bool
	busy     sync.WaitGroup // what the world has started and waits for
}

// process is one node: an engine and its link.
type process struct {
	place  int
	name   string
	link   *link
	engine *engine.Engine
	groups *taskgroups.Keeper

	// Guarded by the book's lock.
	up       bool // it has started
	stopping bool
	dead     bool
	gone     bool      // it has stopped
	trouble  bool      // its link was cut or slow, or it died
	noise    bool      // there was noise
	acted    time.Time // when something was last done to it
}

// Report is what one run showed.
type Report struct {
	Plan  string   // the schedule
	Log   string   // what happened, in virtual time
	Wrong []string // what must not be

	Tasks, Runs, Stale, Died, Recovered int
	Slowest                             time.Duration // of the tasks that were sent after all trouble
}

// Run lets the world of a seed live and end. It must be called in a bubble of
// testing/synctest.
func Run(t testing.TB, seed uint64) *Report {
	w := newWorld(t, seed)
	w.play()
	w.settleDown()
	w.finish()
	w.mu.Lock()
	defer w.mu.Unlock()
	return &Report{
		Plan: w.plan.String(), Log: w.log.String(), Wrong: slices.Concat(w.wrong, w.history.Findings()),
		Tasks: len(w.plan.tasks), Runs: len(w.runs), Stale: w.stale, Died: w.died, Recovered: w.recovers, Slowest: w.slowest,
	}
}

func newWorld(t testing.TB, seed uint64) *world {
	began := time.Now()
	w := &world{t: t, plan: newPlan(seed, began), history: historytest.NewHistory(), turns: map[task.ID][]turn{}, sent: map[string]*historytest.Queue{}, numbers: map[string][]uint16{}, everyone: map[string]*process{}}
	w.book = newBook(began, w.plan.limit)
	w.deeds = newDeeds(w.book, func(t *task.Task) {
		w.sent[t.Queue].Sending(t.ID)
		w.sent[t.Queue].Acknowledged(t.ID)
	})
	w.memory = memory.New(memory.WithClock(func() time.Time { return time.Now().Add(time.Duration(w.shift.Load())) }))
	w.truth = w.history.Truth(99, w.memory)
	options := []retry.Option{retry.Attempts(4), retry.Exponential(100*time.Millisecond, 3, 4*time.Second), retry.MaxCrashes(100)}
	if !w.plan.guarded {
		options = append(options, retry.TaskBudget(nil), retry.TaskBreaker(nil))
	}
	var err error
	if w.policy, err = retry.New(options...); err != nil {
		t.Fatal(err)
	}
	for _, q := range []store.Queue{{Name: "wide", Lanes: w.plan.lanes}, {Name: "narrow", Lanes: 2, Concurrency: w.plan.limit}} {
		made, err := w.memory.PutQueue(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		w.numbers[q.Name], w.sent[q.Name] = made.Numbers, &historytest.Queue{}
	}
	w.openGroups()
	for i := range w.plan.tasks {
		w.name(&w.plan.tasks[i], i, "t")
	}
	for kind, late := range map[string][]planned{"late": w.plan.wave, "rush": w.plan.rush, "held": w.plan.held, "long": w.plan.long} {
		for i := range late {
			w.name(&late[i], i, kind)
		}
	}
	return w
}

// name gives a task its lane and its name.
func (w *world) name(one *planned, i int, kind string) {
	lanes := w.numbers[one.queue]
	lane := lanes[i%len(lanes)]
	if one.key != "" {
		lane = lanes[int(one.key[len(one.key)-1])%len(lanes)]
		one.key = one.queue + " " + one.key
	}
	one.id = one.id.WithLane(lane)
	w.turns[one.id], w.deeds.of[one.id] = one.turns, one
	w.names[one.id] = fmt.Sprint(kind, i)
}

// play plays the schedule.
func (w *world) play() {
	w.nodes = make([]*process, w.plan.nodes)
	for place := range w.nodes {
		w.start(place, 0)
	}
	for number := range w.plan.workers {
		w.busy.Go(func() { w.work(number) })
	}
	tasks, acts := w.plan.tasks, w.plan.acts
	for len(tasks) > 0 || len(acts) > 0 {
		if len(acts) == 0 || len(tasks) > 0 && tasks[0].at <= acts[0].at {
			w.until(tasks[0].at)
			one := &tasks[0]
			w.busy.Go(func() { w.send(one) })
			for i := range one.awaits {
				w.busy.Go(func() { w.signal(one, &one.awaits[i]) })
			}
			tasks = tasks[1:]
			continue
		}
		w.until(acts[0].at)
		w.do(acts[0])
		acts = acts[1:]
	}
	w.until(chaos)
	w.closeGroups()
}

// start starts a process at a place.
func (w *world) start(place, generation int) {
	n := &process{place: place, name: fmt.Sprintf("n%d.%d", place, generation)}
	handle := w.memory.Handle()
	n.link = newLink(handle, &witness{w.history.Truth(place, handle), w.deeds}, w.book, w.plan.noise, w.plan.seed*1000+uint64(place*50+generation))
	way := w.history.Node(place, n.link)
	if w.plan.watched {
		way = &watched{way, n.link}
	}
	observer := w.observer(n)
	n.groups = w.keeper(n, way, &observer)
	config := engine.Config{
		Store: way, Registry: &registry{w, n}, Logger: logger(n.name), Observer: observer, Rand: half{},
		Node: store.Node{ID: n.name, Embedded: true, Address: n.name + ":1", WakeKey: n.name}, Tell: w.call(n), Grace: 3 * time.Second,
		Horizon: w.plan.horizon, NearFuture: w.plan.memory,
	}
	var err error
	if n.engine, err = engine.New(config); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	w.nodes[place], w.everyone[n.name] = n, n
	w.troubled()
	w.note("start    %s", n.name)
	if w.noisy {
		n.noise = true
		n.link.faults.Resume()
	}
	w.mu.Unlock()
	n.groups.Start(context.Background())
	w.busy.Go(func() {
		for n.engine.Start(context.Background()) != nil {
			if w.rest(100 * time.Millisecond); w.isDead(n) {
				return
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		n.up = true
	})
}

func (w *world) isDead(n *process) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return n.dead
}

// logger writes what engines log where a variable asks for it.
func logger(name string) *slog.Logger {
	if os.Getenv("OUTLAST_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})).With("node", name)
}

// call is how a node wakes others.
func (w *world) call(from *process) func(context.Context, store.Node, []uint16) error {
	return func(_ context.Context, node store.Node, lanes []uint16) error {
		w.mu.Lock()
		var to *process
		for _, n := range w.nodes {
			if n != nil && n.name == node.WakeKey {
				to = n
			}
		}
		w.mu.Unlock()
		if to == nil || !to.link.works() || !from.link.works() {
			return errCut
		}
		to.engine.Heard(lanes...)
		return nil
	}
}

// half makes every draw the middle.
type half struct{}

func (half) Float64() float64 { return 0.5 }

// do lets something happen.
func (w *world) do(a act) {
	w.mu.Lock()
	n := w.nodes[a.node]
	w.note("act      %s", a)
	switch a.does {
	case "cancel", "hurry", "move", "redrive", "step", "pause", "resume", "start":
	default:
		w.troubled()
		n.acted = time.Now()
		if a.does != "noise" && a.does != "hush" && a.does != "stop" {
			n.trouble = true
		}
	}
	w.mu.Unlock()
	switch a.does {
	case "kill":
		w.kill(n)
	case "stop":
		w.stop(n)
	case "start":
		w.start(a.node, generation(n)+1)
	case "cut":
		n.link.cut(a.how)
	case "mend":
		n.link.mend()
	case "slow":
		n.link.delay(a.step)
	case "quick":
		n.link.delay(0)
	case "noise", "hush":
		w.makeNoise(a.does == "noise")
	case "step":
		w.shift.Add(int64(a.step))
	case "pause", "resume":
		w.pause(a.does == "pause")
	default:
		w.operate(a, n)
	}
}

func generation(n *process) (number int) {
	_, _ = fmt.Sscanf(n.name, "n%d.%d", new(int), &number)
	return number
}

func (w *world) makeNoise(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noisy = on
	for _, n := range w.nodes {
		n.acted = time.Now()
		if n.noise = true; on {
			n.link.faults.Resume()
		} else {
			n.link.faults.Heal()
		}
	}
}

// pause notes the end of a pause before it, since nodes may hear of it at once.
func (w *world) pause(on bool) {
	w.mu.Lock()
	w.paused = time.Time{}
	w.mu.Unlock()
	if _, err := w.memory.PauseQueue(context.Background(), "wide", on); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if on {
		w.paused = time.Now()
	}
}

// kill ends a process: nothing is given back, and nothing of it has an effect any more.
func (w *world) kill(n *process) {
	n.link.kill()
	w.mu.Lock()
	n.dead = true
	w.mu.Unlock()
	over, end := context.WithCancel(context.Background())
	end()
	w.busy.Go(func() { _ = errors.Join(n.engine.Stop(over), n.groups.Stop(over)) })
}

// stop ends a process as an operator does. It is dead for others when its grace is over.
func (w *world) stop(n *process) {
	w.mu.Lock()
	n.stopping, n.trouble = true, n.trouble || !n.link.works()
	w.mu.Unlock()
	w.busy.Go(func() {
		err := errors.Join(n.engine.Stop(context.Background()), n.groups.Stop(context.Background()))
		n.link.kill()
		state := w.stateOf(n)
		w.mu.Lock()
		defer w.mu.Unlock()
		n.gone = true
		if state != store.NodeLeft && !n.trouble && !n.noise {
			w.fail("%s has stopped, and is %s for others", n.name, state)
		}
		if err != nil && !n.trouble && !n.noise {
			w.fail("%s cannot stop: %v", n.name, err)
		}
	})
}

// stateOf is what others know of a node.
func (w *world) stateOf(n *process) store.NodeState {
	topology, err := w.memory.Topology(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range topology.Nodes {
		if topology.Nodes[i].ID == n.engine.Node() {
			return topology.Nodes[i].State
		}
	}
	return ""
}

// operate does what a person asks for, by way of a node if it lives.
func (w *world) operate(a act, n *process) {
	ctx := context.Background()
	tells := n.link.works()
	switch a.does {
	case "cancel":
		id := w.plan.tasks[a.task].id
		t, err := w.truth.Cancel(ctx, id)
		w.askedToEnd(id, err)
		if w.tell("cancel   t%d: %v", a.task, err); err == nil && tells && a.tells {
			n.engine.Canceled(t.ID)
		}
	case "hurry", "move":
		id, to := w.plan.tasks[a.task].id, time.Time{}
		if a.does == "move" {
			to = w.storeTime().Add(a.step)
		}
		t, err := w.truth.Reschedule(ctx, id, to)
		if w.tell("%-8s t%d: %v", a.does, a.task, err); err == nil && tells && (a.does == "hurry" || a.tells) {
			n.engine.Rescheduled(t)
		}
	case "redrive":
		w.redrive(ctx, n)
	}
}

// askedToEnd notes that the runs of a task are to end.
func (w *world) askedToEnd(id task.ID, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.live[id] {
		if err == nil && r.canceled.IsZero() {
			r.canceled = time.Now()
		}
	}
}

// redrive sends all dead letters back, and says how many.
func (w *world) redrive(ctx context.Context, n *process) int {
	letters, err := w.memory.Letters(ctx, store.Filter{}, task.ID{}, 500)
	if err != nil {
		w.t.Fatal(err)
	}
	ids := make([]task.ID, len(letters))
	lanes := make([]uint16, len(letters))
	for i := range letters {
		ids[i], lanes[i] = letters[i].ID, letters[i].ID.Lane()
	}
	if len(ids) == 0 {
		return 0
	}
	if _, _, err := w.truth.Redrive(ctx, ids, store.RedriveOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.tell("redrive  %d letters", len(ids))
	if n.link.works() {
		n.engine.Wake(lanes...)
	}
	return len(ids)
}

// send hands a task in until it is acknowledged, by one node after the other.
func (w *world) send(one *planned) {
	sent := w.sent[one.queue]
	w.mu.Lock()
	name := w.names[one.id] // there are more with each death
	w.mu.Unlock()
	sent.Sending(one.id)
	for try := range 12 {
		w.mu.Lock()
		n := w.nodes[(one.node+try)%len(w.nodes)]
		ready := n != nil && n.up && !n.dead && !n.gone
		w.mu.Unlock()
		if !ready {
			w.rest(50 * time.Millisecond)
			continue
		}
		_, err := n.engine.Enqueue(context.Background(), []store.Insert{w.insert(one)})
		w.mu.Lock()
		w.note("enqueue  %s at %s: %v", name, n.name, err)
		if err == nil {
			w.acked[one.id] = true
			sent.Acknowledged(one.id)
			w.mu.Unlock()
			return
		}
		if !one.group.IsZero() && errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			w.mu.Unlock()
			return // its group was closed before it came
		}
		if !n.trouble && !n.stopping {
			w.fail("%s is refused by %s, which has had no trouble: %v", name, n.name, err)
		}
		w.mu.Unlock()
		w.rest(50 * time.Millisecond)
	}
}

func (w *world) insert(one *planned) store.Insert {
	return store.Insert{Delay: one.delay, Task: &task.Task{
		ID: one.id, Queue: one.queue, Type: one.kind, Target: one.kind, Priority: one.priority, Key: one.key, Payload: []byte("{}"),
		Spec: task.Spec{Timeout: one.timeout, Group: one.group},
	}}
}

// registry is what a node can run.
type registry struct {
	w *world
	n *process
}

func (r *registry) types() []string { return r.w.plan.starts[r.n.place] }

func (r *registry) Serves(string) (store.Serving, bool) {
	return store.Serving{Types: slices.Clone(r.types())}, true
}

func (r *registry) CanStart(capability string) bool { return slices.Contains(r.types(), capability) }

func (r *registry) Handler(t *task.Task) engine.Handler {
	if !slices.Contains(r.types(), t.Type) {
		return nil
	}
	return r.handle
}

func (r *registry) Policy(*task.Task) (*retry.Policy, error) { return r.w.policy, nil }

func (r *registry) Fallback(*task.Task) *task.Follow { return nil }

func (r *registry) Follow(*task.Task, *task.Follow, task.FollowKind, *store.Settlement) (store.Insert, bool) {
	return store.Insert{}, false
}

// handle does what the plan says of this run of the task.
func (r *registry) handle(ctx context.Context, run *engine.Run) (result []byte, err error) {
	one, before := r.w.begin(r.n, ctx, run)
	does := turn{does: "ok", takes: 5 * time.Millisecond}
	if turns := r.w.turns[run.Task.ID]; before < len(turns) && (!r.w.calmed.Load() || turns[before].takes == time.Minute) {
		does = turns[before]
	} else if run.Task.Queue == "narrow" {
		does.takes = 200 * time.Millisecond
	}
	r.w.deeds.begins(one)
	good := false
	defer func() {
		if r.w.end(one, good); good {
			r.w.deeds.ends(one)
		}
	}()
	work := r.stepper(run, one)
	if err := work.until(ctx, 1); err != nil {
		return nil, err
	}
	if does.deaf {
		r.w.rest(does.takes)
	} else {
		timer := time.NewTimer(does.takes)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := work.until(ctx, 0); err != nil {
		return nil, err
	}
	if err := r.waits(ctx, run, one); err != nil {
		return nil, err
	}
	switch does.does {
	case "fail":
		return nil, errPlanned
	case "panic":
		panic("as planned")
	case "exit":
		runtime.Goexit()
	case "snooze":
		return nil, &snooze{300 * time.Millisecond}
	}
	if work.rejects && !r.w.calmed.Load() {
		return nil, &rejected{}
	}
	good = true
	return []byte("{}"), nil
}

// snooze asks for a later run that costs no attempt.
type snooze struct{ after time.Duration }

func (*snooze) Error() string { return "not now" }

func (s *snooze) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionSnooze, After: s.after}
}
