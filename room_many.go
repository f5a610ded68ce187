package outlast

import (
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// seatsOf takes places for a batch that is accepted as a whole, by queue, or none.
func (c *Client) seatsOf(inserts []store.Insert) (map[string]seats, error) {
	numbers := map[string]int{}
	for i := range inserts {
		numbers[inserts[i].Task.Queue]++
	}
	taken := make(map[string]seats, len(numbers))
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		seats, err := c.seats(name, numbers[name])
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
