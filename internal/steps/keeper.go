package steps

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/gather"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Call asks for a step of a handler.
type Call struct {
	Name string
	Type string // of the result, "" for any
	// Do does it, and returns what is to be stored of it: Result, Until and Compensation.
	Do func(ctx context.Context) (task.Step, error)
}

// Errors of steps.
var (
	// ErrNone says that the store keeps no steps.
	ErrNone = &task.Error{Code: task.CodeUnavailable, Message: "this store keeps no steps"}
	// ErrStale says that the claim was lost before the step was stored.
	ErrStale = errors.New("the claim was lost")
	// ErrOver says that the node has stopped, or is gone.
	ErrOver = errors.New("the node has stopped")
)

// Config is what a keeper is made of.
type Config struct {
	Store store.Steps
	// Find reads tasks of any state, as [store.Query].
	Find    func(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error)
	Enqueue func(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error)
	// Undo makes the task that undoes a step; always the same for one that was done.
	Undo  func(t *task.Task, step *task.Step) (store.Insert, bool)
	Most  gather.Weight // of one commit
	Limit time.Duration // of one call of the store
	Over  context.Context
	Log   *slog.Logger
	// Committed is told of each commit.
	Committed func(rows int, began time.Time)
}

// Keeper reads and writes the steps of attempts, those of concurrent callers together.
type Keeper struct {
	config Config
	reads  *gather.Group[*read]
	writes *gather.Group[*write]
}

type read struct {
	id    task.ID
	steps []task.Step
	done  chan struct{}
}

type write struct {
	step    *task.Step
	status  store.Status
	refused error // the store does not take it, whenever it is asked
	done    chan struct{}
}

// mostRead is of how many tasks steps are read at once: each may have [task.MaxStepBytes].
const mostRead = 32

// NewKeeper makes a keeper, which answers between Run and Close.
func NewKeeper(config Config) *Keeper {
	k := &Keeper{config: config}
	k.reads = gather.New(gather.Config[*read]{Commit: k.readAll, Most: gather.Weight{Items: mostRead}})
	k.writes = gather.New(gather.Config[*write]{Commit: k.writeAll, Most: config.Most})
	return k
}

// Run begins to answer.
func (k *Keeper) Run() {
	go k.reads.Run()
	go k.writes.Run()
}

// Close waits for what was handed in, and takes nothing more.
func (k *Keeper) Close() {
	k.reads.Close()
	k.writes.Close()
}

// Attempt is the steps of one attempt. The zero value has none.
type Attempt struct {
	by *Keeper

	mu      sync.Mutex
	log     *Log
	reading chan struct{} // closed when they were read; nil while nobody reads
	over    bool
}

// Begin says who keeps the steps.
func (a *Attempt) Begin(k *Keeper) { a.by = k }

// Begun reports whether there may be steps.
func (a *Attempt) Begun() bool { return a.by != nil }

// End ends the steps when the handler has come back, and returns when none is being
// written. Nil if it has asked for none. What asks later is refused, since nobody would
// undo what it does.
func (a *Attempt) End() *Log {
	a.mu.Lock()
	a.over = true
	log := a.log
	a.mu.Unlock()
	if log != nil {
		log.Close()
	}
	return log
}

// Refuse lets no further step be stored, and waits for none: the task is about to be
// completed in a transaction, behind which a step would wait.
func (a *Attempt) Refuse() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.log != nil {
		a.log.Refuse()
	}
}

// Do does a part of the work of a task that runs, unless an earlier attempt has: then it
// returns what that has stored. What is done is on disk when it returns.
func (a *Attempt) Do(ctx context.Context, t *task.Task, call Call) (*task.Step, error) {
	if err := CheckName(call.Name); err != nil {
		return nil, err
	}
	log, err := a.known(ctx, t, call.Name)
	if err != nil {
		return nil, err
	}
	done, err := log.Begin(call.Name, call.Type)
	if err != nil || done != nil {
		return done, err
	}
	return a.do(ctx, log, call)
}

// do does a part of the work now, and stores it.
func (a *Attempt) do(ctx context.Context, log *Log, call Call) (*task.Step, error) {
	end := func() { log.End(call.Name) }
	defer func() { end() }()
	if ctx.Err() != nil { // nothing that is done now would count
		return nil, context.Cause(ctx)
	}
	began := time.Now()
	step, err := call.Do(ctx)
	if err != nil {
		return nil, err
	}
	step.Name, step.Type, step.StartedAt, step.EndedAt = call.Name, call.Type, stored(began), stored(time.Now())
	if err := log.Next(&step); err != nil {
		return nil, err
	}
	w := a.by.add(&step)
	written := func() error {
		err := a.by.outcome(w)
		log.Wrote(&step, err == nil)
		return err
	}
	if a.by.overdue(ctx, w) { // it is stored all the same, and the end of the attempt waits for it
		ended := end
		end = func() {}
		go func() { _ = written(); ended() }()
		return nil, context.Cause(ctx)
	}
	return &step, written()
}

// stored is a time as stores keep it.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// known is what is known of the steps of the task. The first who asks reads them; others
// wait for that no longer than their context lasts.
func (a *Attempt) known(ctx context.Context, t *task.Task, name string) (*Log, error) {
	a.mu.Lock()
	for a.log == nil && a.reading != nil {
		reading := a.reading
		a.mu.Unlock()
		select {
		case <-reading:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		a.mu.Lock()
	}
	defer a.mu.Unlock()
	if a.over {
		return nil, ended(name)
	}
	if a.log != nil {
		return a.log, nil
	}
	reading := make(chan struct{})
	a.reading = reading
	a.mu.Unlock()
	log, err := a.by.logOf(ctx, t)
	a.mu.Lock()
	a.reading = nil
	close(reading)
	if err == nil && a.over {
		err = ended(name)
	}
	if err == nil {
		a.log = log
	}
	return a.log, err
}

// logOf reads the steps of a task, unless they are being undone.
func (k *Keeper) logOf(ctx context.Context, t *task.Task) (*Log, error) {
	found, err := k.read(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	log, err := New(t, found)
	if err != nil {
		return nil, err
	}
	return log, k.waits(t, found)
}

func (k *Keeper) read(ctx context.Context, id task.ID) ([]task.Step, error) {
	if k.config.Store == nil {
		return nil, ErrNone
	}
	r := &read{id: id, done: make(chan struct{})}
	if k.reads.Put(r, gather.Weight{Items: 1}) != gather.Taken {
		return nil, ErrOver
	}
	select {
	case <-r.done:
		return r.steps, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-k.config.Over.Done():
		return nil, ErrOver
	}
}

// readAll reads the steps of tasks, repeated until it is done.
func (k *Keeper) readAll(batch []*read) {
	ids := make([]task.ID, len(batch))
	of := make(map[task.ID][]*read, len(batch)) // more than one after a claim that was lost
	for i, r := range batch {
		ids[i], of[r.id] = r.id, append(of[r.id], r)
	}
	known := k.untilKnown(len(batch), func(ctx context.Context) error {
		found, err := k.config.Store.StepsOf(ctx, ids)
		if err != nil {
			return err
		}
		for i := range found {
			for _, r := range of[found[i].Task] {
				r.steps = append(r.steps, found[i])
			}
		}
		return nil
	})
	for _, r := range batch {
		if known {
			close(r.done)
		}
	}
}

// add hands in a step to be written, whatever becomes of its attempt: what was done has to
// be on disk. Nil after Close.
func (k *Keeper) add(step *task.Step) *write {
	w := &write{step: step, done: make(chan struct{})}
	if k.writes.Put(w, gather.Weight{Items: 1, Bytes: bytesOf(step)}) != gather.Taken {
		return nil
	}
	return w
}

// overdue waits for a write, and reports whether it takes longer than a call of the store
// after the end of the context: it may wait for a lock that the handler holds until it
// returns, as one on SQLite does in a transaction of its own.
func (k *Keeper) overdue(ctx context.Context, w *write) bool {
	if w == nil {
		return false
	}
	late := ctx.Done()
	var timer <-chan time.Time
	for {
		select {
		case <-w.done:
			return false
		case <-k.config.Over.Done():
			return false
		case <-late:
			late, timer = nil, time.After(k.config.Limit)
		case <-timer:
			return true
		}
	}
}

// outcome waits until it is known what became of a write.
func (k *Keeper) outcome(w *write) error {
	if w == nil {
		return ErrOver
	}
	select {
	case <-w.done:
	case <-k.config.Over.Done():
		return ErrOver
	}
	switch {
	case w.refused != nil:
		return w.refused
	case w.status != store.StatusOK:
		return ErrStale
	}
	return nil
}

// writeAll writes steps, repeated until it is known what became of them. Where one is
// refused the others are not held up by it.
func (k *Keeper) writeAll(batch []*write) {
	given := make([]task.Step, len(batch))
	for i, w := range batch {
		given[i] = *w.step
	}
	began := time.Now()
	var statuses []store.Status
	var refused error
	known := k.untilKnown(len(batch), func(ctx context.Context) (err error) {
		statuses, err = k.config.Store.AddSteps(ctx, given)
		if errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
			refused, err = err, nil
		}
		return err
	})
	switch {
	case !known:
		return // the node is gone; whoever recovers the tasks reads what was stored
	case refused != nil && len(batch) == 1:
		batch[0].refused = refused
		close(batch[0].done)
		return
	case refused != nil:
		for i := range batch {
			k.writeAll(batch[i : i+1])
		}
		return
	}
	k.config.Committed(len(batch), began)
	for i, w := range batch {
		w.status = statuses[i]
		close(w.done)
	}
}

// untilKnown repeats a call of the store until it has an answer, or the node is gone.
func (k *Keeper) untilKnown(rows int, call func(context.Context) error) bool {
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		ctx, cancel := context.WithTimeout(k.config.Over, k.config.Limit)
		err := call(ctx)
		cancel()
		if err == nil {
			return true
		}
		k.config.Log.Warn("step.repeated", "rows", rows, "error", err)
		if !background.Sleep(k.config.Over, pause) {
			return false
		}
	}
}
