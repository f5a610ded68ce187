package stats

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/buckets"
	"github.com/outlast-dev/outlast/store"
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
	Release string // of who ran it, "" for the node's own
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

// Keeper counts the attempts of one node, by type, policy version and release.
type Keeper struct {
	Config
	series *buckets.Names[key, series]

	flushing sync.Mutex       // held during a flush
	ledger   *ledger[*record] // by type

	loops background.Loops
}

type key struct {
	taskType, policy string
	version          int64
	release          string // "" for the node's own
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
	return &Keeper{
		Config: config, series: buckets.NewNames[key, series](mostSeries, key{taskType: otherTypes}), ledger: newLedger(config.Backend, Kind, readRecord),
	}
}

// Add counts an attempt.
func (k *Keeper) Add(a *Attempt) {
	s := k.series.Of(key{a.Type, a.Policy, a.Version, a.Release})
	i := min(max(a.Number, 1), mostNumber) - 1
	if a.Failed {
		s.failed[i].Add(1)
	}
	s.delay[i].add(a.Delay)
	s.run[i].add(a.Run)
}

// Start begins to keep the counts in the database, at the pace of ctx. Call it once.
func (k *Keeper) Start(ctx context.Context) {
	k.loops.Start(ctx, k.keep)
}

// Stop keeps what was counted last. Call it when no attempt runs any more.
func (k *Keeper) Stop(ctx context.Context) {
	if k.loops.Started() && k.loops.Stop(ctx) == nil {
		k.flush(ctx, k.ledger.finish)
	}
}

func (k *Keeper) keep(ctx context.Context) {
	tidied := time.Time{}
	for background.Idle(ctx, flushEvery) {
		k.flush(ctx, k.ledger.write)
		if now := time.Now(); now.Sub(tidied) >= time.Hour {
			tidied = now
			k.failed(ctx, k.tidy(ctx, now))
		}
	}
}

func (k *Keeper) failed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		k.Logger.Warn("stats.failed", "error", err)
	}
}

// flush brings the database up to date. What it cannot write waits for the next.
func (k *Keeper) flush(ctx context.Context, write func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	k.flushing.Lock()
	defer k.flushing.Unlock()
	k.collect(time.Now().UTC())
	k.failed(ctx, write(ctx))
}

// collect moves what was counted to what is pending.
func (k *Keeper) collect(now time.Time) {
	for of, s := range k.series.All() {
		p := s.take(now)
		if p == nil {
			continue
		}
		found := &record{Release: map[string]*period{cmp.Or(of.release, k.Release): p}}
		if of.version > 0 {
			found.PolicyVersion = map[string]*period{VersionName(of.policy, of.version): p}
		}
		k.ledger.add(of.taskType, found)
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

// tidy forgets types without attempts for long, and the oldest of too many.
func (k *Keeper) tidy(ctx context.Context, now time.Time) error {
	return tidy(ctx, k.Backend, Kind, mostTypes, now)
}

func tidy(ctx context.Context, backend store.Config, kind string, most int, now time.Time) error {
	objects, err := backend.Objects(ctx, kind)
	if err != nil {
		return err
	}
	newest := make([]*store.Object, len(objects))
	for i := range objects {
		newest[i] = &objects[i]
	}
	slices.SortFunc(newest, func(a, b *store.Object) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for i, o := range newest {
		if i < most && now.Sub(o.UpdatedAt) < retention {
			continue
		}
		if _, err := backend.Change(ctx, store.Change{Delete: []store.Object{*o}, Quiet: true}); err != nil && !isConflict(err) && !isNotFound(err) {
			return err
		}
	}
	return nil
}
