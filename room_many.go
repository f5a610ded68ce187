package outlast

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// seatsOf takes places for a batch that is accepted as a whole, by queue, or none.
func (c *Client) seatsOf(ctx context.Context, inserts []store.Insert) (map[string]seats, error) {
	numbers := map[string]int{}
	for i := range inserts {
		numbers[inserts[i].Task.Queue]++
	}
	taken := make(map[string]seats, len(numbers))
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		seats, err := c.seatsFor(ctx, name, numbers[name], inserts)
		if err != nil {
			for _, others := range taken {
				c.seated(others, 0, time.Time{})
			}
			first := slices.IndexFunc(inserts, func(insert store.Insert) bool { return insert.Task.Queue == name })
			return nil, attributed(err, item(first))
		}
		taken[name] = seats
	}
	return taken, nil
}

// seatsEach takes places for tasks that do not share fate, and says for which of
// them there is none.
func (c *Client) seatsEach(ctx context.Context, inserts []store.Insert) ([]seats, map[int]error) {
	taken := make([]seats, len(inserts))
	var outside []int
	for i := range inserts {
		var ok bool
		if taken[i], ok = c.seats(inserts[i].Task.Queue, 1); !ok {
			outside = append(outside, i)
		}
	}
	if len(outside) == 0 {
		return taken, nil
	}
	asked := make([]store.Insert, len(outside))
	for n, i := range outside {
		asked[n] = inserts[i]
	}
	known, refused := c.known(ctx, asked), map[int]error{}
	for n, i := range outside {
		if known == nil || !known[n] {
			refused[i] = c.full(inserts[i].Task.Queue, 1)
		}
	}
	return taken, refused
}

// writtenAll ends the writing of a batch whose transaction commits within a while.
func (c *Client) writtenAll(taken map[string]seats, inserts []store.Insert, inserted []store.Inserted, err error, while time.Duration) {
	for name, seats := range taken {
		switch {
		case seats.fill == nil:
		case err != nil && while > 0: // the caller rolls back
			c.seated(seats, 0, time.Time{})
		case err != nil:
			c.notWritten(seats, err)
		default:
			accepted := 0
			for i := range inserted {
				if inserted[i].Existing == nil && inserts[i].Task.Queue == name {
					accepted++
				}
			}
			c.seated(seats, accepted, time.Now().Add(while))
		}
	}
}

// writtenEach ends the writing of tasks that do not share fate.
func (c *Client) writtenEach(taken []seats, results []store.BatchResult, err error) {
	for i, seat := range taken {
		if err != nil {
			c.written(seat, nil, err)
		} else {
			c.written(seat, results[i].Items, results[i].Err)
		}
	}
}
