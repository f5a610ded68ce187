// Package claimlog keeps in memory what a process knows of the claim log: the
// batches of tasks that were claimed together, each under one number.
//
// The greatest number in the log of a lane names all that is in it, since
// whoever changes the log holds the lane's lock and writes a batch with a
// greater one. A claim compares that number with the one in memory, under the
// lane's lock: if they differ it claims nothing, the log of the lane is read,
// and the claim is tried again. So memory needs to be right only as often as
// that, whatever other processes, lost answers and servers that failed have done.
package claimlog

import (
	"context"
	"slices"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Batch is a row of the log.
type Batch struct {
	Lane    uint16
	Claim   int64
	Started int64 // µs
	IDs     []task.ID
}

// Place names a batch.
type Place struct {
	Lane  uint16
	Claim int64
}

// Log is safe for concurrent use.
type Log struct {
	changing chan struct{}

	lock    sync.Mutex
	last    int64 // the greatest number of the process
	lanes   map[uint16]*lane
	numbers map[task.ID]int64 // the greatest of a batch that has the task; negative once it was seen settled
}

type lane struct {
	version int64 // the greatest number
	batches map[int64]*batch
}

type batch struct {
	ids     []task.ID
	left    int   // tasks that have not been seen settled
	started int64 // µs
	look    int64 // when it is time to look again whether they run, in µs
}

// New returns an empty log.
func New() *Log {
	return &Log{changing: make(chan struct{}, 1), lanes: map[uint16]*lane{}, numbers: map[task.ID]int64{}}
}

// Begin waits until the process changes the log nowhere else: memory follows the
// log in the order in which it was changed. End lets the next one go on.
func (l *Log) Begin(ctx context.Context) error {
	select {
	case l.changing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// End ends what Begin began.
func (l *Log) End() { <-l.changing }

// Version is the greatest number in the log of a lane, as far as it is known.
func (l *Log) Version(of uint16) int64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	if known := l.lanes[of]; known != nil {
		return known.version
	}
	return 0
}

// Versions are those of lanes, and the number that a claim in them must reach.
func (l *Log) Versions(lanes []store.LaneEpoch) (versions []int64, least int64) {
	l.lock.Lock()
	least = l.last + 1
	l.lock.Unlock()
	for _, one := range lanes {
		version := l.Version(one.Lane)
		versions, least = append(versions, version), max(least, version+1)
	}
	return versions, least
}

// Number is the number that the row of a task has reached unless it runs by the log: the
// greatest of a batch that has it, 0 for none. It stays when the task was seen settled:
// a snapshot may be older than that, and a standby may lack it.
func (l *Log) Number(id task.ID) int64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	return abs(l.numbers[id])
}

func abs(n int64) int64 { return max(n, -n) }

// Claimed adds batches that a claim of the process has written, and forgets those
// that it has deleted and what it has taken out of others.
func (l *Log) Claimed(batches []Batch, deleted []Place, narrowed []Batch) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, at := range deleted {
		l.drop(at)
	}
	for _, b := range narrowed {
		l.add(b)
	}
	for _, b := range batches {
		l.last = max(l.last, b.Claim)
		l.add(b)
	}
}

// Replace puts the log of lanes, as it is, in place of what is known of them.
func (l *Log) Replace(lanes []uint16, batches []Batch) {
	l.lock.Lock()
	defer l.lock.Unlock()
	there := make(map[Place]bool, len(batches))
	for _, b := range batches {
		there[Place{b.Lane, b.Claim}] = true
	}
	for _, number := range lanes {
		known := l.lanes[number]
		if known == nil {
			continue
		}
		for claim := range known.batches {
			if at := (Place{number, claim}); !there[at] {
				l.drop(at)
			}
		}
		known.version = 0
	}
	for _, b := range batches {
		l.add(b)
	}
}

func (l *Log) add(b Batch) {
	known := l.lanes[b.Lane]
	if known == nil {
		known = &lane{batches: map[int64]*batch{}}
		l.lanes[b.Lane] = known
	}
	known.version = max(known.version, b.Claim)
	if was := known.batches[b.Claim]; was != nil {
		l.narrow(was, b)
		return
	}
	known.batches[b.Claim] = &batch{ids: b.IDs, left: len(b.IDs), started: b.Started}
	for _, id := range b.IDs {
		if abs(l.numbers[id]) < b.Claim {
			l.numbers[id] = b.Claim
		}
	}
}

// narrow leaves in a batch what is left of it in the log.
func (l *Log) narrow(was *batch, now Batch) {
	kept := make(map[task.ID]bool, len(now.IDs))
	was.left = 0
	for _, id := range now.IDs {
		kept[id] = true
		if l.numbers[id] == now.Claim {
			was.left++
		}
	}
	for _, id := range was.ids {
		if abs(l.numbers[id]) == now.Claim && !kept[id] {
			delete(l.numbers, id)
		}
	}
	was.ids = now.IDs
}

func (l *Log) drop(at Place) {
	known := l.lanes[at.Lane]
	if known == nil || known.batches[at.Claim] == nil {
		return
	}
	for _, id := range known.batches[at.Claim].ids {
		if abs(l.numbers[id]) == at.Claim {
			delete(l.numbers, id)
		}
	}
	delete(known.batches, at.Claim)
}

// Settled notes that claims of tasks have ended, as transactions say that have
// committed. It may be called again.
func (l *Log) Settled(ids []task.ID, claims []int64) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for i, id := range ids {
		known := l.lanes[id.Lane()]
		if known == nil || known.batches[claims[i]] == nil || l.numbers[id] != claims[i] {
			continue
		}
		l.numbers[id] = -claims[i]
		known.batches[claims[i]].left--
	}
}

// Left notes that tasks have died, and so left all batches: their ids may come again at
// once.
func (l *Log) Left(ids []task.ID) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, id := range ids {
		if l.numbers[id] < 0 {
			delete(l.numbers, id)
		}
	}
}

// Over lists batches of lanes all of whose tasks were seen settled: who writes a
// batch into the lane may delete them.
func (l *Log) Over(lanes []uint16) (over []Place) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, number := range lanes {
		known := l.lanes[number]
		if known == nil {
			continue
		}
		for claim, b := range known.batches {
			if b.left == 0 {
				over = append(over, Place{number, claim})
			}
		}
	}
	return over
}

// Few lists batches of lanes of which less than a quarter of the tasks have not been
// seen settled, with those: who writes a batch into the lane may leave only them in it.
func (l *Log) Few(lanes []uint16) (few []Batch) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, number := range lanes {
		known := l.lanes[number]
		if known == nil {
			continue
		}
		for claim, b := range known.batches {
			if b.left == 0 || 4*b.left >= len(b.ids) {
				continue
			}
			left := Batch{Lane: number, Claim: claim, Started: b.started}
			for _, id := range b.ids {
				if l.numbers[id] == claim {
					left.IDs = append(left.IDs, id)
				}
			}
			few = append(few, left)
		}
	}
	return few
}

// Old lists lanes that have batches of an age, in µs, which it is time to look at: at
// that age, and again when they are twice as old as at the last look. Who started in the
// future is as old as by how much. One that is over and names the log is left alone.
func (l *Log) Old(now, age int64) (lanes []uint16) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for at, known := range l.lanes {
		for claim, b := range known.batches {
			if b.age(now) > age && b.look < now && (b.left > 0 || claim < known.version) {
				lanes = append(lanes, at)
				break
			}
		}
	}
	slices.Sort(lanes)
	return lanes
}

// Looked notes that somebody has looked what runs in lanes.
func (l *Log) Looked(lanes []uint16, now int64) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for _, at := range lanes {
		if known := l.lanes[at]; known != nil {
			for _, b := range known.batches {
				b.look = now + b.age(now)
			}
		}
	}
}

func (b *batch) age(now int64) int64 { return max(now-b.started, b.started-now) }
