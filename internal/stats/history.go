package stats

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindHistory is the kind of the objects that hold what happened to targets; their
// names are the targets.
const KindHistory = "target.history"

const (
	mostChanges    = 500              // of a target
	mostHistories  = 500              // targets
	mostUnwritten  = 1000             // targets whose changes wait for the store
	changesPause   = 2 * time.Second  // between two writes
	budgetsEvery   = 10 * time.Second // that budgets are looked at
	historiesTidy  = time.Hour
	historiesTrims = 50 // changes that are left out at a time where there is no room
)

// changes are those of one target, the newest first; of one moment, that which came last.
type changes struct {
	Changes []inspect.TargetChange `json:"c"`
}

func readChanges(body []byte) *changes {
	c := &changes{}
	if json.Unmarshal(body, c) != nil {
		*c = changes{} // of a later program: it begins anew
	}
	return c
}

// add puts in changes that came after those that are known.
func (c *changes) add(other *changes) {
	c.Changes = append(slices.Clone(other.Changes), c.Changes...)
	slices.SortStableFunc(c.Changes, func(a, b inspect.TargetChange) int { return b.At.Compare(a.At) })
	c.Changes = c.Changes[:min(len(c.Changes), mostChanges)]
}

func (c *changes) body() ([]byte, error) {
	for {
		body, err := json.Marshal(c)
		if err != nil || len(body) <= store.MaxObject || len(c.Changes) == 0 {
			return body, err
		}
		c.Changes = c.Changes[:max(0, len(c.Changes)-historiesTrims)]
	}
}

// HistoryConfig is what a history is made of.
type HistoryConfig struct {
	Backend store.Config
	Logger  *slog.Logger
	Node    func() string
	// Budgets are when the targets whose retries must wait have their next token.
	Budgets func() map[string]time.Time
}

// History keeps what happens to targets in the database: the last 500 changes of 500
// targets, of all nodes.
type History struct {
	HistoryConfig
	mu     sync.Mutex
	news   map[string]*changes
	told   chan struct{}
	ledger *ledger[*changes] // only its keeper has it

	exhausted map[string]bool // budgets

	loops background.Loops
}

// NewHistory makes a history.
func NewHistory(config HistoryConfig) *History {
	return &History{
		HistoryConfig: config, news: map[string]*changes{}, told: make(chan struct{}, 1), exhausted: map[string]bool{},
		ledger: newLedger(config.Backend, KindHistory, readChanges),
	}
}

// Add notes a change. It does not wait for the store.
func (h *History) Add(target string, change inspect.TargetChange) {
	if target == "" || len(target) > store.MaxObjectName {
		return
	}
	change.Node, change.At = cmp.Or(change.Node, h.Node()), change.At.UTC().Truncate(time.Millisecond)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.news[target] == nil {
		if len(h.news) >= mostUnwritten {
			return
		}
		h.news[target] = &changes{}
	}
	h.news[target].add(&changes{[]inspect.TargetChange{change}})
	select {
	case h.told <- struct{}{}:
	default:
	}
}

// Start begins to keep the history, at the pace of ctx. Call it once.
func (h *History) Start(ctx context.Context) {
	h.loops.Start(ctx, h.keep)
}

// Stop writes what happened last.
func (h *History) Stop(ctx context.Context) {
	if h.loops.Started() && h.loops.Stop(ctx) == nil {
		h.flush(ctx, h.ledger.finish)
	}
}

func (h *History) keep(ctx context.Context) {
	budgets := background.NewTicker(ctx, budgetsEvery)
	defer budgets.Stop()
	tidied := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-budgets.C:
			h.look(time.Now())
			if h.ledger.left() { // nobody may tell of another change
				h.flush(ctx, h.ledger.write)
			}
			if now := time.Now(); now.Sub(tidied) >= historiesTidy {
				tidied = now
				h.failed(ctx, h.tidy(ctx, now))
			}
		case <-h.told:
			if !background.Sleep(ctx, changesPause) { // more may come
				return
			}
			h.flush(ctx, h.ledger.write)
		}
	}
}

// look notes which budgets have been spent, and which have not any more.
func (h *History) look(now time.Time) {
	budgets := h.Budgets()
	for target, until := range budgets {
		if !h.exhausted[target] {
			h.exhausted[target] = true
			h.Add(target, inspect.TargetChange{At: now, Part: "budget", State: "exhausted", Was: "refilled", Until: until.UTC(), Reason: "retries wait for tokens"})
		}
	}
	for target := range h.exhausted {
		if _, still := budgets[target]; !still {
			delete(h.exhausted, target)
			h.Add(target, inspect.TargetChange{At: now, Part: "budget", State: "refilled", Was: "exhausted"})
		}
	}
}

// flush brings the database up to date. What it cannot write waits for the next.
func (h *History) flush(ctx context.Context, write func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	h.mu.Lock()
	news := h.news
	h.news = map[string]*changes{}
	h.mu.Unlock()
	for target, c := range news {
		if len(h.ledger.pending) < mostUnwritten {
			h.ledger.add(target, c)
		}
	}
	h.failed(ctx, write(ctx))
}

func (h *History) failed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		h.Logger.Warn("stats.failed", "error", err)
	}
}

// tidy forgets targets without changes for long, and the oldest of too many.
func (h *History) tidy(ctx context.Context, now time.Time) error {
	return tidy(ctx, h.Backend, KindHistory, mostHistories, now)
}

// ReadHistory are the changes of a target that were written, the newest first.
func ReadHistory(ctx context.Context, backend store.Config, target string) ([]inspect.TargetChange, error) {
	o, err := backend.Object(ctx, KindHistory, target)
	switch {
	case isNotFound(err) || len(target) > store.MaxObjectName:
		return nil, task.NotFound("history of the target", target)
	case err != nil:
		return nil, err
	}
	return readChanges(o.Body).Changes, nil
}
