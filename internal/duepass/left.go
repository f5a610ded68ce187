package duepass

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
)

const (
	mostLeft   = 10_000          // due tasks that are counted
	leftPage   = 1000            // rows of a lane that are read at once
	leftAtOnce = 16              // lanes that are read at once
	leftTime   = 5 * time.Second // for the count after a context has ended
)

// result completes the counts by what is left.
func (p *pass) result(ctx context.Context, err error) (engine.DueCounts, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leftTime)
	defer cancel()
	left, failed := p.left(ctx, mostLeft)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Left = left
	if err == nil {
		err = failed
	}
	return p.counts, err
}

// left counts pending tasks that are due and match, no further than asked.
func (p *pass) left(ctx context.Context, most int) (count int, err error) {
	topology, err := p.config.Backend.Topology(ctx)
	if err != nil {
		return 0, err
	}
	queues := map[uint16]string{}
	for i := range topology.Lanes {
		if l := &topology.Lanes[i]; p.serves(l.Queue) {
			queues[l.Number] = l.Queue
		}
	}
	ranges, err := p.ranges(ctx, slices.Sorted(maps.Keys(queues)))
	for err == nil && len(ranges) > 0 && count < most {
		some := ranges[:min(len(ranges), leftAtOnce)]
		var pages [][]store.Entry
		if pages, err = p.config.Backend.Scan(ctx, some); err != nil {
			return 0, err
		}
		ranges = ranges[len(some):]
		for i, page := range pages {
			count += p.matching(queues[some[i].Lane], page)
			if len(page) == leftPage {
				last := page[len(page)-1]
				some[i].After, some[i].AfterID = last.Rank, last.ID
				ranges = append(ranges, some[i])
			}
		}
	}
	return min(count, most), err
}

// ranges are where due tasks of lanes stand: in line, and parked.
func (p *pass) ranges(ctx context.Context, lanes []uint16) (ranges []store.Range, err error) {
	add := func(lane uint16, park int64) {
		ranges = append(ranges, store.Range{Lane: lane, Park: park, After: math.MinInt64, Until: p.until.UnixMicro(), Limit: leftPage})
	}
	for _, lane := range lanes {
		add(lane, 0)
	}
	if len(lanes) == 0 {
		return nil, nil
	}
	marks, err := p.config.Backend.Marks(ctx, lanes, 0)
	for i := range marks {
		add(marks[i].ID.Lane(), marks[i].Park)
	}
	return ranges, err
}

func (p *pass) matching(queue string, page []store.Entry) (count int) {
	for i := range page {
		if p.matches(queue, page[i].Type, time.UnixMicro(page[i].RunAt)) {
			count++
		}
	}
	return count
}
