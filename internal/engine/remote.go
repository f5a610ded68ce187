package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// remote hands claimed tasks to remote workers and ends their attempts. What is known of
// workers, polls and leases is the affair of package lease.
type remote struct {
	*core
	run  *runner
	end  *settler
	stop <-chan struct{} // closed when polls are to end
}

// Poll is what a remote worker asks for.
type Poll struct {
	Worker  string // its name
	Release string // "" for none
	Queues  []string
	Types   []string // nil for all but HTTP requests
	Most    int      // tasks
	Wait    time.Duration
	Lease   time.Duration
}

// Leased is a task for a remote worker. It must not be changed.
type Leased struct {
	Task        *task.Task
	Until       time.Time   // the end of the lease, by the store's clock
	AttemptEnds time.Time   // when the attempt's timeout or the deadline ends it, zero for never
	MaxAttempts int         // 0 for unlimited
	Steps       []task.Step // that are not to be done again
}

// ErrTooManyPolls refuses a poll on a node where very many wait.
var ErrTooManyPolls = lease.ErrTooManyPolls

// ErrNoPolls refuses a poll on a node that starts nothing.
var ErrNoPolls = errors.New("this node starts no tasks")

// ErrReleased is the end of an attempt whose worker hands the task back, at no
// cost.
var ErrReleased = errors.New("the worker handed the task back")

// Poll waits until there are tasks for a remote worker, and returns some of those
// that are due, or none when the time has passed, ctx has ended or the node stops.
// What it returns is leased to the worker, on disk.
func (w *remote) Poll(ctx context.Context, request Poll) ([]Leased, error) {
	if _, leases := store.As[store.Leaser](w.config.Store); !leases || w.config.EnqueueOnly {
		return nil, ErrNoPolls
	}
	p, more, err := w.enter(lease.Request(request))
	if err != nil {
		return nil, err
	}
	if p == nil {
		return []Leased{}, nil
	}
	if more {
		w.Stir(ctx) // others, and the loader, are to know what this node can start now
		w.Heard()
	}
	leases := p.Wait(ctx, w.stop)
	if ctx.Err() != nil {
		w.handBack(leases) // nobody is there to take them
		return nil, nil
	}
	return w.withSteps(ctx, leases)
}

// Most of what one poll reads and answers of steps; what is beyond it is left to the next.
const (
	mostStepTasks = 64 // in one read
	mostStepBytes = 4 * task.MaxStepBytes
)

// withSteps completes the answer of a poll by the steps of its tasks that are done. A task
// whose steps nobody can read, or are being undone, ends its attempt here as one of a Go
// handler does that asks for a step; what does not fit into the answer is handed back.
func (w *remote) withSteps(ctx context.Context, leases []*lease.Lease) ([]Leased, error) {
	out := make([]Leased, 0, len(leases))
	for bytes := 0; len(leases) > 0 && bytes < mostStepBytes; {
		some := leases[:min(len(leases), mostStepTasks)]
		tasks := make([]*task.Task, len(some))
		for i, l := range some {
			tasks[i] = l.Task
		}
		finished, err := w.end.steps.Finished(ctx, tasks)
		if err != nil && len(out) == 0 {
			w.handBack(leases)
			return nil, err
		}
		if err != nil {
			break
		}
		for i, l := range some {
			if bytes >= mostStepBytes {
				some = some[:i]
				break
			}
			f := &finished[i]
			if f.Err != nil {
				w.finish(leased(l), nil, unbegun(f.Err))
				continue
			}
			bytes += f.Bytes
			out = append(out, Leased{Task: l.Task, Until: l.Until(), AttemptEnds: l.Ends, MaxAttempts: leased(l).run.MaxAttempts, Steps: f.Steps})
		}
		leases = leases[len(some):]
	}
	w.handBack(leases)
	return out, nil
}

// unbegun is the end of an attempt that must not begin, since of its steps it is not known what
// to do.
func unbegun(err error) error {
	if undoing := new(steps.Undoing); errors.As(err, &undoing) {
		return &snooze{undoing}
	}
	if unreadable := new(steps.Unreadable); errors.As(err, &unreadable) {
		return err
	}
	return ErrReleased // the store was away
}

// enter lets a poll wait; nil where the node stops.
func (w *remote) enter(request lease.Request) (p *lease.Poll, more bool, err error) {
	w.lock()
	defer w.unlock()
	if w.member.Leaving() || w.halted {
		return nil, false, nil // it is answered at once
	}
	if p, more, err = w.leases.Enter(request); err != nil {
		return nil, false, err
	}
	if more {
		w.leaveToOthers() // it may be other types than before, or fewer
	}
	w.agenda.Offered(p.Queues, p.Takes)
	signal(w.wake)
	return p, more, nil
}

// handBack releases tasks that no worker has got to see.
func (w *remote) handBack(leases []*lease.Lease) {
	for _, l := range leases {
		a := leased(l)
		w.end.handIn(a, &decided{rule: "the worker went away", settlement: store.Settlement{
			Task: l.Task, Outcome: task.OutcomeReleased, StartedAt: a.began, EndedAt: time.Now(),
		}})
	}
}

// leased is the attempt of a lease.
func leased(l *lease.Lease) *attempt { return l.Attempt.(*attempt) } //nolint:forcetypeassert // there are no others

// takes says which poll is given an entry of the capability. Nobody else can start it,
// unless no worker can either: then it is this node's, and dies there.
func (w *remote) takes(queue, capability string) (to agenda.Taker, ok bool) {
	if !w.leases.Served().Has(queue, capability) {
		return nil, true
	}
	if p := w.leases.Taker(queue, capability); p != nil {
		return polled{p, w}, true
	}
	return nil, false
}

// polled is a poll as the dispatcher sees it.
type polled struct {
	*lease.Poll
	remote *remote
}

func (p polled) sign(claim *store.Claim) {
	claim.Worker, claim.Release, claim.Lease = p.Worker, p.Release, p.Lease
}

// start registers tasks that were claimed for a poll, and answers it.
func (p polled) start(node string, tasks []*task.Task, began time.Time) bool {
	w := p.remote
	attempts, ok := w.run.register(node, tasks, func(a *attempt) {
		a.lease = lease.New(a, a.run.Task, p.Worker, p.Lease, began)
		a.ctx.parent = context.Background()
	})
	if !ok {
		return false
	}
	var leases []*lease.Lease
	for _, a := range attempts {
		if out := w.run.refuse(a); out != nil {
			w.end.handIn(a, out)
			continue
		}
		w.run.limit(a)
		a.lease.Ends = a.ctx.limit
		if f := w.config.Observer.AttemptStarted; f != nil {
			f((*afterwards)(a), a.run.Task, a.began.Sub(a.run.Task.RunAt))
		}
		leases = append(leases, a.lease)
	}
	if len(leases) == 0 {
		return true
	}
	w.begin(leases)
	if !p.Answer(leases) {
		w.handBack(leases)
	}
	return true
}

// begin notes the leases of attempts that have not ended meanwhile.
func (w *remote) begin(leases []*lease.Lease) {
	w.lock()
	defer w.unlock()
	w.leases.Began(slices.DeleteFunc(slices.Clone(leases), func(l *lease.Lease) bool {
		a := leased(l)
		return a.entry.Run != a
	}))
}

func (p polled) claimed() {
	if p.Claimed() {
		p.remote.lock()
		p.remote.agenda.Offered(p.Queues, p.Takes) // it goes on waiting
		p.remote.unlock()
		signal(p.remote.wake)
	}
}

// disconnectOld forgets workers that were not heard of for long, and what memory
// has of tasks that only they could start: the loader finds those again, and
// leaves them to other nodes.
func (w *remote) disconnectOld(now time.Time) {
	w.lock()
	defer w.unlock()
	if w.leases.DisconnectOld(now) {
		w.leaveToOthers()
	}
}

// leaveToOthers follows a change of what workers can start: nothing may be chosen before
// what nobody here can start is out of memory. The engine's lock must be held since the
// change.
func (w *remote) leaveToOthers() {
	w.agenda.LeaveToOthers(w.parksType)
	signal(w.load)
}

// endLate ends attempts of remote workers whose time is over.
func (w *remote) endLate(now time.Time) {
	for _, l := range w.leases.Late(now) {
		w.finish(leased(l), nil, context.DeadlineExceeded)
	}
}

// gone forgets attempts whose tasks are not their workers' any more: another node
// has settled them, or their leases have ended.
func (w *remote) gone(leases []*lease.Lease) {
	w.lock()
	w.feedback()
	for _, l := range leases {
		w.letGo(leased(l))
	}
	w.unlock()
	signal(w.wake)
	signal(w.load)
}

// letGo forgets one of them. The engine's lock must be held.
func (w *remote) letGo(a *attempt) {
	if !a.ends() {
		return // it is being settled; the store will refuse that
	}
	w.leases.Gone(a.lease)
	w.agenda.Conclude(a.entry, guard.Feedback{Silent: true, At: time.Now(), Policy: a.run.Policy})
	w.lookAgain(a.entry)
	w.end.releaseOne(a, &store.Settled{Status: store.StatusStale})
	a.lease.End(store.Settled{Status: store.StatusStale})
}

// lookAgain makes the loader look for the row of a task that this node had leased:
// it may wait again. The engine's lock must be held.
func (w *remote) lookAgain(entry *agenda.Entry) {
	lane := entry.ID.Lane()
	if w.agenda.Lane(lane) != nil {
		w.agenda.LookFor(lane, entry.Rank)
		return
	}
	w.hints.lend[lane] = true
	signal(w.changed)
}

// Extension is what a remote worker says of a task that it runs.
type Extension struct {
	ID       task.ID
	Claim    int64
	Progress json.RawMessage // what it reports of its work, kept on this node while the attempt runs
}

// Extend moves the ends of leases to length from now: of tasks that any node has
// leased. One answer per item.
func (w *remote) Extend(ctx context.Context, items []Extension, length time.Duration) ([]store.Extended, error) {
	leaser, ok := store.As[store.Leaser](w.config.Store)
	if !ok {
		return nil, ErrNoPolls
	}
	asked := make([]store.LeaseItem, len(items))
	for i, item := range items {
		asked[i] = store.LeaseItem{ID: item.ID, Claim: item.Claim}
	}
	began := time.Now()
	results, err := leaser.Extend(ctx, asked, length)
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		l := w.leases.Here(item.ID, item.Claim)
		switch {
		case l == nil:
			continue
		case results[i].Status != store.StatusOK:
			w.leases.Doubt(l) // it may be another's by now
			continue
		}
		w.leases.Extended(l, length, began, item.Progress)
		if results[i].CancelRequested {
			leased(l).ctx.cancel(ErrCanceled)
		}
	}
	return results, nil
}

// Lease is what this node knows of the lease of a task that it has given to a worker:
// until when the worker has it at least, and what that has reported last. Both are
// zero where it knows of none.
func (w *remote) Lease(t *task.Task) (until time.Time, progress json.RawMessage) {
	if l := w.leases.Here(t.ID, t.Claim); l != nil {
		return w.leases.State(l)
	}
	return time.Time{}, nil
}

// finish ends an attempt that a remote worker runs by what it came to, and reports
// whether it had not ended before.
func (w *remote) finish(a *attempt, result []byte, err error) bool {
	if !a.ends() {
		return false
	}
	end := ending{run: &a.run, result: result, err: err, started: a.began, ended: time.Now(), random: w.random, identify: w.config.Fingerprint}
	end.usual = a.entry.UsualLength()
	end.cause = a.ctx.end(end.ended)
	decideEnding(&a.end, &end)
	w.end.settle(a)
	return true
}

// decideEnding says what becomes of a task whose worker has said how its attempt
// ended.
func decideEnding(out *decided, end *ending) {
	if errors.Is(end.err, ErrReleased) {
		*out = decided{rule: ErrReleased.Error(), settlement: store.Settlement{
			Task: end.run.Task, Outcome: task.OutcomeReleased, StartedAt: end.started, EndedAt: end.ended,
		}}
		return
	}
	decideSafely(out, end)
}
