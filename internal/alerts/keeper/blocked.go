package keeper

import (
	"context"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// mostBlocked is how many blocked keys are told one by one; the others share a
// message.
const mostBlocked = 20

// blocked are the first blocked keys that tasks wait behind.
func (q *Queues) blocked(ctx context.Context) (samples []alerts.BlockedSample, err error) {
	lanes, queues := q.userLanes()
	if len(lanes) == 0 {
		return nil, nil
	}
	holds, err := q.Backend.Holds(ctx, store.HoldFilter{Lanes: lanes, Waited: true, Limit: mostBlocked, Count: alerts.MostBehind + 1})
	if err != nil {
		return nil, err
	}
	for i := range holds {
		holds[i].Queue = queues[holds[i].Lane]
		samples = append(samples, alerts.BlockedSample{Hold: holds[i]})
	}
	if len(holds) < mostBlocked {
		return samples, nil
	}
	last := &holds[len(holds)-1]
	others, err := q.Backend.Holds(ctx, store.HoldFilter{Lanes: lanes, Waited: true, AfterLane: last.Lane, AfterKey: last.Key, Limit: alerts.MostOthers, Count: 1})
	if err == nil && len(others) > 0 {
		samples = append(samples, alerts.BlockedSample{Others: len(others)})
	}
	return samples, err
}

// userLanes are the lanes of all queues but that of alerts, and their queues.
func (q *Queues) userLanes() (lanes []uint16, queues map[uint16]string) {
	queues = map[uint16]string{}
	for _, lane := range q.Node.Topology().Lanes {
		if lane.Queue != alerts.Queue {
			lanes, queues[lane.Number] = append(lanes, lane.Number), lane.Queue
		}
	}
	return lanes, queues
}
