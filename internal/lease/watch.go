package lease

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/task"
)

// The node that leased a task keeps its place until it knows that the worker does
// not have the task any more. The worker may tell any node, and that node tells the
// one that leased, by a wake-up about the lane: it is heeded by asking the store
// which of the leases in that lane still hold. A wake-up may be lost, so while other
// nodes live the store is asked about every lease once a second. Only what the store
// says ends an attempt here, so whatever else is known of a lease may be wrong.

const (
	tick = time.Second           // how often the store is asked about every lease
	rest = 10 * time.Millisecond // between two looks, however many wake-ups come
	// share: a look is followed by so many times its own length without one,
	// longestRest at most.
	share       = 10
	longestRest = 5 * time.Second
	readRows    = 500     // leases of one read
	readBytes   = 4 << 20 // payloads of one read, if it has more than one row
)

// Config is what a keeper asks.
type Config struct {
	Log *slog.Logger
	// Running reads which of a holder's tasks it still has.
	Running func(holder string, ids []task.ID) ([]*task.Task, error)
	// Gone is told of leases that the store holds no more, and of a look that has ended.
	Gone func(leases []*Lease)
	// Idle reports whether the store cannot be asked now, Alone whether no other node
	// lives.
	Idle, Alone func() bool
}

// DoubtLanes has the leases in lanes, without any those in all, looked at now.
func (k *Keeper) DoubtLanes(lanes []uint16) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.leases) == 0 {
		return
	}
	found := len(lanes) == 0
	k.any = k.any || found
	for _, lane := range lanes {
		if k.leases[lane] != nil {
			k.heard[lane], found = true, true
		}
	}
	if found {
		k.signal()
	}
}

// Doubt has a lease looked at now.
func (k *Keeper) Doubt(l *Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l.doubt = true
	k.signal()
}

func (k *Keeper) signal() {
	select {
	case k.doubts <- struct{}{}:
	default:
	}
}

// Watch is the loop that asks the store about leases, until ctx ends. It takes a tenth of
// the time at most.
func (k *Keeper) Watch(ctx context.Context) {
	ticker := background.NewTicker(ctx, tick)
	defer ticker.Stop()
	for {
		all := false
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			all = true
		case <-k.doubts:
		}
		if k.config.Idle() {
			continue
		}
		began := time.Now()
		if !k.look(began, all) {
			continue
		}
		pause := time.NewTimer(min(max(rest, share*time.Since(began)), longestRest))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return
		}
	}
}

// look asks the store about leases in doubt, or all, and reports whether
// there were any.
func (k *Keeper) look(now time.Time, all bool) (any bool) {
	failed := false
	for holder, leases := range k.inDoubt(now, all) {
		for len(leases) > 0 {
			some := leases[:oneRead(leases)]
			leases = leases[len(some):]
			failed = failed || !k.ask(holder, some, now)
			if failed {
				k.doubtAgain(some)
			}
		}
		any = true
	}
	return any
}

// inDoubt takes the leases to ask about, by holder: those that were doubted, and if
// all are asked for, those that this node or another may have let end since the store
// was asked last.
func (k *Keeper) inDoubt(now time.Time, all bool) map[string][]*Lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	heard, any, alone := k.heard, k.any, k.config.Alone()
	k.heard, k.any = map[uint16]bool{}, false
	out := map[string][]*Lease{}
	for l := range k.held {
		old := all && now.Sub(l.asked) > tick/2 && (!alone || now.After(l.until))
		if any || old || l.doubt || heard[l.Task.ID.Lane()] {
			l.doubt = false
			out[l.Task.Node] = append(out[l.Task.Node], l)
		}
	}
	return out
}

// oneRead is how many of the leases are read together.
func oneRead(leases []*Lease) (count int) {
	for bytes := 0; count < min(len(leases), readRows); count++ {
		if bytes += len(leases[count].Task.Payload); bytes > readBytes && count > 0 {
			break
		}
	}
	return count
}

// doubtAgain keeps leases in doubt about which the store gave no answer, for the next
// tick.
func (k *Keeper) doubtAgain(leases []*Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range leases {
		l.doubt = true
	}
}

// ask asks the store which of a holder's tasks it still has, and tells which are gone.
func (k *Keeper) ask(holder string, leases []*Lease, now time.Time) bool {
	ids := make([]task.ID, len(leases))
	for i, l := range leases {
		ids[i] = l.Task.ID
	}
	rows, err := k.config.Running(holder, ids)
	if err != nil {
		k.config.Log.Warn("leases.failed", "error", err)
		return false
	}
	claims := make(map[task.ID]int64, len(rows))
	for _, t := range rows {
		claims[t.ID] = t.Claim
	}
	k.config.Gone(k.gone(leases, claims, now))
	return true
}

// gone are the leases that the store does not hold under their claims.
func (k *Keeper) gone(leases []*Lease, claims map[task.ID]int64, now time.Time) (gone []*Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range leases {
		if claims[l.Task.ID] == l.Task.Claim {
			l.asked = now
		} else {
			gone = append(gone, l)
		}
	}
	return gone
}
