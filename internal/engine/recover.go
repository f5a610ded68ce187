package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	sweepEvery     = 2 * time.Second
	sweepRows      = 1000
	reconcileEvery = 5 * time.Second
	calmReconcile  = time.Minute // how often to look for them otherwise
)

// recoverer takes running rows of nodes that ended, and finds those of this node that
// nobody runs.
type recoverer struct {
	*core
	remote      *remote
	unknownRuns map[task.ID]int64 // rows that nobody ran at the last reconcile, by claim; the loop's own
}

// sweeping is the loop that takes running rows from nodes that ended, and
// rows of this node that nobody in the process knows.
func (v *recoverer) sweeping() {
	ticker := background.NewTicker(v.running, sweepEvery)
	defer ticker.Stop()
	reconciled := time.Now()
	for {
		select {
		case <-v.running.Done():
			return
		case <-ticker.C:
		}
		if v.member.Lost() {
			continue
		}
		v.remote.disconnectOld(time.Now())
		v.remote.endLate(time.Now())
		v.sweepAll()
		wait := calmReconcile
		if v.doubts() {
			wait = reconcileEvery
		}
		if time.Since(reconciled) >= wait {
			reconciled = time.Now()
			v.reconcile()
		}
	}
}

func (v *recoverer) sweepAll() {
	v.lock()
	numbers := make([]uint16, 0, len(v.agenda.Lanes()))
	for number := range v.agenda.Lanes() {
		numbers = append(numbers, number)
	}
	v.unlock()
	v.sweep(numbers)
}

// sweep recovers the running rows of lanes whose node has ended.
func (v *recoverer) sweep(lanes []uint16) {
	counts := map[ended]int{}
	defer v.tellRecovered(counts)
	for len(lanes) > 0 {
		ctx, cancel := v.storeContext(storeCall)
		rows, err := v.config.Store.Recover(ctx, lanes, sweepRows)
		cancel()
		if err != nil {
			v.log.Warn("sweep.failed", "error", err)
			return
		}
		v.lock()
		v.feedback()
		for i := range rows {
			v.learnRecovered(&rows[i])
		}
		v.unlock()
		for i := range rows {
			counts[ended{rows[i].Node, rows[i].Cause}]++
			if f := v.config.Observer.Recovered; f != nil {
				f(rows[i])
			}
		}
		if f := v.config.Observer.Lost; f != nil && len(rows) > 0 {
			f(rows)
		}
		signal(v.wake)
		if len(rows) < sweepRows {
			return
		}
	}
}

// ended is a node that has ended, and how.
type ended struct{ node, cause string }

// tellRecovered says how many tasks were taken from each node.
func (v *recoverer) tellRecovered(counts map[ended]int) {
	for from, count := range counts {
		level := slog.LevelWarn
		if from.cause == "node left" {
			level = slog.LevelInfo
		}
		v.log.Log(context.Background(), level, "tasks.recovered", "node", from.node, "cause", from.cause, "tasks", count)
	}
}

// learnRecovered puts a recovered row into memory: it is due at once, and
// its lane may have been read before it was pending again.
func (v *recoverer) learnRecovered(row *store.Recovered) {
	if _, worker, _ := task.Runner(row.Node); worker != "" {
		v.leases.Dismiss(worker)
		v.member.Wakeups.ChangedLease(row.Node, row.ID.Lane())
	}
	if known := v.agenda.Entry(row.ID); known != nil {
		if a := leaseOf(known); !known.Claimed() {
			v.agenda.Forget(known)
		} else if a != nil && a.run.Task.Claim == row.OldClaim {
			v.remote.letGo(a)
		}
	}
	if !row.Canceled {
		v.agenda.LookFor(row.ID.Lane(), row.Entry.Rank)
		v.learn(row.Entry)
	}
}

// reconcile compares the running rows of this node with what it knows, and
// releases, without cost, those that nobody runs, now and at the look before,
// at least five seconds ago: claims whose answer was lost.
func (v *recoverer) reconcile() {
	ctx, cancel := v.storeContext(storeCall)
	defer cancel()
	rows, err := v.config.Store.Running(ctx, v.member.ID(), nil)
	if err != nil {
		v.log.Warn("reconcile.failed", "error", err)
		return
	}
	lost := v.strange(rows)
	if len(lost) == 0 {
		return
	}
	results, err := v.config.Store.Settle(ctx, lost)
	if err != nil {
		v.log.Warn("reconcile.failed", "error", err)
		return
	}
	v.lock()
	defer v.unlock()
	for i := range results {
		v.log.Warn("attempt.lost", "task", lost[i].Task.ID.String(), "claim", lost[i].Task.Claim, "status", string(results[i].Status))
		if results[i].Status == store.StatusOK && results[i].State == task.Pending {
			v.agenda.LookFor(lost[i].Task.ID.Lane(), results[i].Entry.Rank)
			v.learn(results[i].Entry)
		}
	}
	signal(v.wake)
	signal(v.load)
}

// strange lists the rows that nobody in the process runs, at the same claim
// as at the last look, and notes the others that nobody runs for the next. It is
// known of those that they are being let go until the next look.
func (v *recoverer) strange(rows []*task.Task) []store.Settlement {
	v.lock()
	defer v.unlock()
	var lost []store.Settlement
	next := map[task.ID]int64{}
	for _, t := range rows {
		if known := v.agenda.Entry(t.ID); known != nil && (known.Run != nil || known.Claimed()) {
			continue // it runs, or its claim is being answered
		}
		next[t.ID] = t.Claim
		if v.unknownRuns[t.ID] == t.Claim {
			lost = append(lost, store.Settlement{Task: t, Outcome: task.OutcomeReleased, StartedAt: t.StartedAt, EndedAt: time.Now()})
		}
	}
	v.unknownRuns = next
	clear(v.letGo)
	for _, one := range lost {
		v.letGo[one.Task.ID] = one.Task.Claim
	}
	if len(next) > len(lost) {
		v.doubt() // look again soon
	}
	return lost
}
