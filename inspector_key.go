package outlast

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// MostBehind is where the tasks behind a blocked key are counted to.
const MostBehind = 1000

// BlockedKeys returns a page of the ordering keys that dead letters block, of some
// queues or with nil of all, and the cursor of the next page: those that tasks wait
// behind, or with all those too that nobody waits for. Who waits behind a key is counted
// to [MostBehind] + 1.
func (i *Inspector) BlockedKeys(ctx context.Context, queues []string, all bool, page store.Page) ([]store.Hold, string, error) {
	if page.Limit < 0 || page.Limit > maxPage {
		return nil, "", task.Invalid("limit", "is outside 1 to 500", "follow the cursor for more")
	}
	if page.Limit == 0 {
		page.Limit = usualPage
	}
	topology, err := i.Topology(ctx)
	if err != nil {
		return nil, "", err
	}
	filter, names := store.HoldFilter{Waited: !all, Limit: page.Limit, Count: MostBehind + 1}, map[uint16]string{}
	for _, lane := range topology.Lanes {
		if shownQueue(lane.Queue, queues) {
			filter.Lanes, names[lane.Number] = append(filter.Lanes, lane.Number), lane.Queue
		}
	}
	if filter.AfterLane, filter.AfterKey, err = keyPlace(page.Cursor); err != nil {
		return nil, "", err
	}
	holds, err := i.client.backend.Holds(ctx, filter)
	if err != nil {
		return nil, "", err
	}
	next := ""
	for n := range holds {
		holds[n].Queue = names[holds[n].Lane]
	}
	if len(holds) == page.Limit {
		last := &holds[len(holds)-1]
		next = hex.EncodeToString(append([]byte{byte(last.Lane >> 8), byte(last.Lane)}, last.Key...))
	}
	return holds, next, nil
}

// SayBlocked says how many keys a first page of [Inspector.BlockedKeys] has.
func SayBlocked(keys int) string {
	switch keys {
	case 0:
		return "none"
	case 1:
		return "1 ordering key is blocked by a dead letter, and tasks wait behind it"
	case usualPage:
		return strconv.Itoa(keys) + " or more ordering keys are blocked by dead letters, and tasks wait behind them"
	}
	return strconv.Itoa(keys) + " ordering keys are blocked by dead letters, and tasks wait behind them"
}

// keyPlace reads a cursor of [Inspector.BlockedKeys].
func keyPlace(cursor string) (lane uint16, key string, err error) {
	place, err := hex.DecodeString(cursor)
	if cursor == "" {
		return 0, "", nil
	}
	if err != nil || len(place) < 2 {
		return 0, "", task.Invalid("cursor", "the cursor is not one of this server", "use the next cursor of the page before, unchanged")
	}
	return uint16(place[0])<<8 | uint16(place[1]), string(place[2:]), nil
}

// mostWaitPages is how many pages FindWaiting looks through in one call.
const mostWaitPages = 10

// FindWaiting returns a page of the pending tasks that wait for one reason, the newest
// first, and the cursor of the next page. It looks through a bounded number of tasks, so
// a page may be short or empty and still have a next one. Code "invalid" for what is no
// reason to wait.
func (i *Inspector) FindWaiting(ctx context.Context, why task.Waiting, filter store.Filter, page store.Page) (found []*View, next string, err error) {
	if !slices.Contains(task.Waitings[:], why) {
		return nil, "", task.Invalid("waiting", task.Quote(string(why))+" is no reason to wait", "one of "+waitingList())
	}
	if filter.State != "" && filter.State != task.Pending {
		return nil, "", task.Invalid("waiting", "only pending tasks wait", "leave out state")
	}
	if page.Limit == 0 {
		page.Limit = usualPage
	}
	filter.State = task.Pending
	look := page
	for range mostWaitPages {
		look.Limit = page.Limit - len(found)
		views, cursor, err := i.Find(ctx, filter, look)
		if err != nil {
			return nil, "", err
		}
		for _, view := range views {
			if view.Waiting == why {
				found = append(found, view)
			}
		}
		if look.Cursor = cursor; cursor == "" || len(found) == page.Limit {
			break
		}
	}
	return found, look.Cursor, nil
}

func waitingList() string {
	text := ""
	for n, why := range task.Waitings {
		if n > 0 {
			text += ", "
		}
		text += string(why)
	}
	return text
}
