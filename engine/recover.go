package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	sweepEvery     = 2 * time.Second
	sweepRows      = 1000
	reconcileEvery = 5 * time.Second
	doubtFor       = 20 * time.Second // how long to look for lost rows after an unknown outcome
	calmReconcile  = time.Minute      // how often to look for them otherwise
)

// sweeping is the loop that takes running rows from nodes that ended, and
// rows of this node that nobody in the process knows.
func (e *Engine) sweeping() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	reconciled := time.Now()
	for {
		select {
		case <-e.running.Done():
			return
		case <-ticker.C:
		}
		if e.lost.Load() {
			continue
		}
		e.disconnectOld(time.Now())
		e.endLate(time.Now())
		e.sweepAll()
		wait := calmReconcile
		if e.doubts() {
			wait = reconcileEvery
		}
		if time.Since(reconciled) >= wait {
			reconciled = time.Now()
			e.reconcile()
		}
	}
}

// doubt notes that an outcome was unknown, or that the store was away: it may have
// lost what it had answered, as a standby that takes over.
func (e *Engine) doubt() { e.doubted.Store(time.Now().Add(doubtFor).UnixNano()) }

// unknown notes a call whose outcome is unknown, and tells the observer.
func (e *Engine) unknown(kind string) {
	e.doubt()
	if f := e.config.Observer.Doubted; f != nil {
		f(kind)
	}
}

func (e *Engine) doubts() bool { return time.Now().UnixNano() < e.doubted.Load() }

func (e *Engine) sweepAll() {
	e.mu.Lock()
	numbers := make([]uint16, 0, len(e.near.lanes))
	for number := range e.near.lanes {
		numbers = append(numbers, number)
	}
	e.mu.Unlock()
	e.sweep(numbers)
}

// sweep recovers the running rows of lanes whose node has ended.
func (e *Engine) sweep(lanes []uint16) {
	counts := map[ended]int{}
	defer e.tellRecovered(counts)
	for len(lanes) > 0 {
		ctx, cancel := e.storeContext(storeCall)
		rows, err := e.config.Store.Recover(ctx, lanes, sweepRows)
		cancel()
		if err != nil {
			e.log.Warn("sweep.failed", "error", err)
			return
		}
		e.lock()
		for i := range rows {
			e.learnRecovered(&rows[i])
		}
		e.unlock()
		for i := range rows {
			counts[ended{rows[i].Node, rows[i].Cause}]++
			if f := e.config.Observer.Recovered; f != nil {
				f(rows[i])
			}
		}
		if f := e.config.Observer.Lost; f != nil && len(rows) > 0 {
			f(rows)
		}
		signal(e.wake)
		if len(rows) < sweepRows {
			return
		}
	}
}

// ended is a node that has ended, and how.
type ended struct{ node, cause string }

// tellRecovered says how many tasks were taken from each node.
func (e *Engine) tellRecovered(counts map[ended]int) {
	for from, count := range counts {
		level := slog.LevelWarn
		if from.cause == "node left" {
			level = slog.LevelInfo
		}
		e.log.Log(context.Background(), level, "tasks.recovered", "node", from.node, "cause", from.cause, "tasks", count)
	}
}

// learnRecovered puts a recovered row into memory: it is due at once, and
// its lane may have been read before it was pending again.
func (e *Engine) learnRecovered(row *store.Recovered) {
	if _, worker, _ := task.Runner(row.Node); worker != "" {
		e.remote.dismiss(worker)
		e.changedLease(row.Node, row.ID.Lane())
	}
	if known := e.near.known[row.ID]; known != nil {
		switch {
		case known.where != isClaimed:
			e.near.forget(known)
		case known.isLeased() && known.attempt.run.Task.Claim == row.OldClaim:
			e.letGo(known.attempt)
		}
	}
	if !row.Canceled {
		e.near.lookFor(row.ID.Lane(), row.Entry.Rank)
		e.learn(row.Entry)
	}
}

// reconcile compares the running rows of this node with what it knows, and
// releases, without cost, those that nobody runs, now and at the look before,
// at least five seconds ago: claims whose answer was lost.
func (e *Engine) reconcile() {
	ctx, cancel := e.storeContext(storeCall)
	defer cancel()
	rows, err := e.config.Store.Running(ctx, e.node(), nil)
	if err != nil {
		e.log.Warn("reconcile.failed", "error", err)
		return
	}
	lost := e.strange(rows)
	if len(lost) == 0 {
		return
	}
	results, err := e.config.Store.Settle(ctx, lost)
	if err != nil {
		e.log.Warn("reconcile.failed", "error", err)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range results {
		e.log.Warn("attempt.lost", "task", lost[i].Task.ID.String(), "claim", lost[i].Task.Claim, "status", string(results[i].Status))
		if results[i].Status == store.StatusOK && results[i].State == task.Pending {
			e.near.lookFor(lost[i].Task.ID.Lane(), results[i].Entry.Rank)
			e.learn(results[i].Entry)
		}
	}
	signal(e.wake)
	signal(e.load)
}

// strange lists the rows that nobody in the process runs, at the same claim
// as at the last look, and notes the others that nobody runs for the next.
func (e *Engine) strange(rows []*task.Task) []store.Settlement {
	e.mu.Lock()
	defer e.mu.Unlock()
	var lost []store.Settlement
	next := map[task.ID]int64{}
	for _, t := range rows {
		if known := e.near.known[t.ID]; known != nil && (known.attempt != nil || known.where == isClaimed) {
			continue // it runs, or its claim is being answered
		}
		next[t.ID] = t.Claim
		if e.strangers[t.ID] == t.Claim {
			lost = append(lost, store.Settlement{Task: t, Outcome: task.OutcomeReleased, StartedAt: t.StartedAt, EndedAt: time.Now()})
		}
	}
	e.strangers = next
	if len(next) > len(lost) {
		e.doubt() // look again soon
	}
	return lost
}
