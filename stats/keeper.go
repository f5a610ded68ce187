package stats

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	flushEvery = 30 * time.Second
	flushTime  = 10 * time.Second // of one flush at most
	mostSeries = 200
	mostNumber = 5 // of attempts; later ones count with it
	otherTypes = "(other)"
	noRelease  = "(none)"
)

// Attempt is one that has ended.
type Attempt struct {
	Type    string
	Number  int    // from 1
	Policy  string // with Version 0, none that has versions
	Version int64
	Failed  bool
	Run     time.Duration // from its start to its end
	Delay   time.Duration // from when it was due to its start
}

// Config is what a keeper is made of.
type Config struct {
	Backend store.Config
	Logger  *slog.Logger
	Release string // of this node's application, "" for none
}

// Keeper counts the attempts of one node. [Keeper.Add] takes no lock and allocates
// nothing after the first attempt of a type and policy version.
type Keeper struct {
	Config
	mu     sync.Mutex // held by changes of series
	series atomic.Pointer[map[key]*series]

	flushing sync.Mutex         // held during a flush
	pending  map[string]*record // that is not in the database yet, by type
	unsure   *store.Change      // may be there or not
	writing  map[string]*record // what is in unsure

	stop    context.CancelFunc
	running sync.WaitGroup
}

type key struct {
	taskType, policy string
	version          int64
}

type series struct {
	failed     [mostNumber]atomic.Uint32
	run, delay [mostNumber]counters
}

// New makes a keeper.
func New(config Config) *Keeper {
	if config.Release == "" {
		config.Release = noRelease
	}
	k := &Keeper{Config: config, pending: map[string]*record{}}
	k.series.Store(&map[key]*series{})
	return k
}

// Add counts an attempt.
func (k *Keeper) Add(a *Attempt) {
	s := k.of(key{a.Type, a.Policy, a.Version})
	i := min(max(a.Number, 1), mostNumber) - 1
	if a.Failed {
		s.failed[i].Add(1)
	}
	s.delay[i].add(a.Delay)
	s.run[i].add(a.Run)
}

func (k *Keeper) of(of key) *series {
	if known := (*k.series.Load())[of]; known != nil {
		return known
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all := *k.series.Load()
	if len(all) >= mostSeries {
		of = key{taskType: otherTypes}
	}
	if known := all[of]; known != nil {
		return known
	}
	made := &series{}
	all = maps.Clone(all)
	all[of] = made
	k.series.Store(&all)
	return made
}

// Start begins to keep the counts in the database. Call it once.
func (k *Keeper) Start() {
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	k.running.Go(func() { k.keep(ctx) })
}

// Stop keeps what was counted last. Call it when no attempt runs any more.
func (k *Keeper) Stop(ctx context.Context) {
	if k.stop == nil {
		return
	}
	k.stop()
	k.running.Wait()
	k.flush(ctx)
}

func (k *Keeper) keep(ctx context.Context) {
	tidied := time.Time{}
	timer := time.NewTimer(flushEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		k.flush(ctx)
		if now := time.Now(); now.Sub(tidied) >= time.Hour {
			tidied = now
			k.failed(ctx, k.tidy(ctx, now))
		}
		timer.Reset(flushEvery)
	}
}

func (k *Keeper) failed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		k.Logger.Warn("stats.failed", "error", err)
	}
}

// flush brings the database up to date. What it cannot write waits for the next.
func (k *Keeper) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	k.flushing.Lock()
	defer k.flushing.Unlock()
	k.collect(time.Now().UTC())
	k.failed(ctx, k.write(ctx))
}

// collect moves what was counted to what is pending.
func (k *Keeper) collect(now time.Time) {
	for of, s := range *k.series.Load() {
		p := s.take(now)
		if p == nil {
			continue
		}
		r := k.pending[of.taskType]
		if r == nil {
			r = &record{}
			k.pending[of.taskType] = r
		}
		found := &record{Release: map[string]*period{k.Release: p}}
		if of.version > 0 {
			found.PolicyVersion = map[string]*period{VersionName(of.policy, of.version): p}
		}
		r.add(found)
	}
}

// VersionName is how a version of a policy is named: payment@3.
func VersionName(policy string, version int64) string {
	return policy + "@" + strconv.FormatInt(version, 10)
}

// take empties a series, nil if nothing was counted.
func (s *series) take(now time.Time) *period {
	p := &period{Since: now, Last: now}
	for i := range mostNumber {
		run, delay := times{}, times{}
		s.run[i].take(run)
		s.delay[i].take(delay)
		count := 0
		for _, n := range run {
			count += n
		}
		if failed := s.failed[i].Swap(0); count > 0 || failed > 0 || len(delay) > 0 {
			c := p.of(i + 1)
			c.Count, c.Failed, c.Run, c.Delay = count, int(failed), run, delay
		}
	}
	if len(p.Attempts) == 0 {
		return nil
	}
	return p
}

// write adds what is pending to the database.
func (k *Keeper) write(ctx context.Context) error {
	if k.unsure != nil {
		if err := k.apply(ctx); err != nil && !isConflict(err) {
			return err
		}
	}
	for range conflictTries {
		if len(k.pending) == 0 {
			return nil
		}
		if err := k.prepare(ctx); err != nil {
			return err
		}
		if err := k.apply(ctx); err != nil && !isConflict(err) {
			return err
		}
	}
	return nil // there is more, or others were always faster: at the next flush
}

// How many types go into one change, and how often others may be faster.
const (
	mostWritten   = 50
	conflictTries = 12
)

// prepare makes the change that adds some of what is pending.
func (k *Keeper) prepare(ctx context.Context) error {
	change := &store.Change{ID: "stats-" + strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36), Quiet: true}
	k.writing = map[string]*record{}
	for name, r := range k.pending {
		if len(k.writing) >= mostWritten {
			break
		}
		o, err := k.Backend.Object(ctx, Kind, name)
		if isNotFound(err) {
			o, err = &store.Object{Kind: Kind, Name: name}, nil
		}
		if err != nil {
			return err
		}
		sum := readRecord(o.Body)
		sum.add(r)
		body, err := sum.body()
		if err != nil {
			return err
		}
		change.Put = append(change.Put, store.Object{Kind: Kind, Name: name, Body: body, Version: o.Version, Actor: "stats"})
		k.writing[name] = r
	}
	for name := range k.writing { // what is counted from now on is not in the change
		delete(k.pending, name)
	}
	k.unsure = change
	return nil
}

// apply makes the change, or finds that it was made. After another error than a
// conflict it may have been, and is repeated as it stands.
func (k *Keeper) apply(ctx context.Context) error {
	_, err := k.Backend.Change(ctx, *k.unsure)
	if err != nil && !isConflict(err) {
		return err
	}
	if err != nil {
		for name, r := range k.writing {
			if later := k.pending[name]; later != nil {
				r.add(later)
			}
			k.pending[name] = r
		}
	}
	k.unsure, k.writing = nil, nil
	return err
}

func isConflict(err error) bool { return errors.Is(err, &task.Error{Code: task.CodeConflict}) }
func isNotFound(err error) bool { return errors.Is(err, &task.Error{Code: task.CodeNotFound}) }

// tidy forgets types without attempts for long, and the oldest of too many.
func (k *Keeper) tidy(ctx context.Context, now time.Time) error {
	objects, err := k.Backend.Objects(ctx, Kind)
	if err != nil {
		return err
	}
	slices.SortFunc(objects, func(a, b store.Object) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for i := range objects {
		if i < mostTypes && now.Sub(objects[i].UpdatedAt) < retention {
			continue
		}
		if _, err := k.Backend.Change(ctx, store.Change{Delete: objects[i : i+1], Quiet: true}); err != nil && !isConflict(err) && !isNotFound(err) {
			return err
		}
	}
	return nil
}
