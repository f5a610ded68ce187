package alert

import (
	"context"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/store"
)

const (
	// mostBlocked is how many blocked keys are told one by one; the others share a
	// message.
	mostBlocked = 20
	// mostOthers is where the others are counted to.
	mostOthers = 1000
	// mostBehind is where the tasks behind a key are counted to.
	mostBehind = 1000
)

// otherKeys is the subject of the blocked keys beyond those that are told one by one.
const otherKeys = "(other keys)"

// BlockedSample is an ordering key that a dead letter blocks and tasks wait behind.
type BlockedSample struct {
	store.Hold
	Others int // more such keys, where this stands for several
}

// blocked are the first blocked keys that tasks wait behind.
func (k *Keeper) blocked(ctx context.Context) (samples []BlockedSample, err error) {
	lanes, queues := k.userLanes()
	if len(lanes) == 0 {
		return nil, nil
	}
	holds, err := k.Backend.Holds(ctx, store.HoldFilter{Lanes: lanes, Waited: true, Limit: mostBlocked, Count: mostBehind + 1})
	if err != nil {
		return nil, err
	}
	for i := range holds {
		holds[i].Queue = queues[holds[i].Lane]
		samples = append(samples, BlockedSample{Hold: holds[i]})
	}
	if len(holds) < mostBlocked {
		return samples, nil
	}
	last := &holds[len(holds)-1]
	others, err := k.Backend.Holds(ctx, store.HoldFilter{Lanes: lanes, Waited: true, AfterLane: last.Lane, AfterKey: last.Key, Limit: mostOthers, Count: 1})
	if err == nil && len(others) > 0 {
		samples = append(samples, BlockedSample{Others: len(others)})
	}
	return samples, err
}

// userLanes are the lanes of all queues but that of alerts, and their queues.
func (k *Keeper) userLanes() (lanes []uint16, queues map[uint16]string) {
	queues = map[uint16]string{}
	for _, lane := range k.Node.Topology().Lanes {
		if lane.Queue != Queue {
			lanes, queues[lane.Number] = append(lanes, lane.Number), lane.Queue
		}
	}
	return lanes, queues
}

func (b *BlockedSample) at(now time.Time) *Occurrence {
	if b.Others > 0 {
		text := atLeast(b.Others, mostOthers) + " more ordering keys are blocked by dead letters, and tasks wait behind them"
		return &Occurrence{
			On: OnBlocked, Subject: otherKeys, Size: b.Others, At: now, Text: text, Fields: fields("list", "outlast queue blocked"),
			Values: map[string]any{"key": "", "queue": "", "mode": "", "letter": "", "waiting": b.Others, "held": time.Duration(0)},
		}
	}
	held, waiting := max(0, now.Sub(b.Since)), atLeast(b.Waiting, mostBehind)
	tasks := " tasks wait"
	if b.Waiting == 1 {
		tasks = " task waits"
	}
	return &Occurrence{
		On: OnBlocked, Subject: b.Queue + "/" + b.Key, Size: b.Waiting, At: now, Queue: b.Queue,
		Text: "the ordering key " + b.Key + " of queue " + b.Queue + " has been blocked by a dead letter for " + Span(held.Round(time.Second)) + "; " + waiting + tasks + " behind it",
		Values: map[string]any{
			"key": b.Key, "queue": b.Queue, "mode": b.Mode, "letter": b.Holder.String(), "waiting": b.Waiting, "held": held,
		},
		Fields: fields("queue", b.Queue, "key", b.Key, "dead letter", b.Holder.String(), "waiting", waiting, "since", b.Since.UTC().Format(time.RFC3339),
			"to go on", "outlast dead redrive "+b.Holder.String()+", or outlast queue release-key "+b.Queue+" KEY"),
	}
}

// atLeast is a number that was counted to a bound.
func atLeast(n, bound int) string {
	if n > bound || n == bound && bound == mostOthers {
		return strconv.Itoa(bound) + "+"
	}
	return strconv.Itoa(n)
}

// parked are the keys of lanes that are held in mode park.
func (k *Keeper) parked(ctx context.Context, lanes []uint16) (map[laneKey]bool, error) {
	holds, err := k.Backend.Holds(ctx, store.HoldFilter{Lanes: lanes, Mode: "park", Limit: store.MostHolds})
	keys := make(map[laneKey]bool, len(holds))
	for i := range holds {
		keys[laneKey{holds[i].Lane, holds[i].Key}] = true
	}
	return keys, err
}

// laneKey is an ordering key.
type laneKey struct {
	lane uint16
	key  string
}
