package inspector

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Keys is [inspect.Keys].
type Keys struct{ node *node }

// keyAudit is what the audit log says of an ordering key.
type keyAudit struct {
	Key     string `json:"key"`
	Blocked bool   `json:"blocked"`
}

func (ks *Keys) Release(ctx context.Context, queue, key string) (bool, error) {
	row := actor.Audit(ctx, "key.release", "queue/"+queue)
	row.Before, _ = json.Marshal(keyAudit{key, true}) // plain values
	row.After, _ = json.Marshal(keyAudit{key, false})
	released, err := ks.node.Backend.ReleaseKey(ctx, queue, key, row)
	if err != nil || !released {
		return released, err
	}
	topology, err := ks.node.topology(ctx)
	if err != nil {
		return true, nil //nolint:nilerr // the key is released; its owner finds out by its poll
	}
	for n := range topology.Queues {
		if q := &topology.Queues[n]; q.Name == queue && len(q.Numbers) > 0 {
			ks.node.Control.Wake(accept.KeyLane(q, key))
		}
	}
	return true, nil
}

func (ks *Keys) Blocked(ctx context.Context, queues []string, all bool, page store.Page) ([]store.Hold, string, error) {
	if page.Limit < 0 || page.Limit > maxPage {
		return nil, "", task.Invalid("limit", "is outside 1 to 500", "follow the cursor for more")
	}
	if page.Limit == 0 {
		page.Limit = usualPage
	}
	topology, err := ks.node.topology(ctx)
	if err != nil {
		return nil, "", err
	}
	filter, names := store.HoldFilter{Waited: !all, Limit: page.Limit, Count: inspect.MostBehind + 1}, map[uint16]string{}
	for _, lane := range topology.Lanes {
		if shownQueue(lane.Queue, queues) {
			filter.Lanes, names[lane.Number] = append(filter.Lanes, lane.Number), lane.Queue
		}
	}
	if filter.AfterLane, filter.AfterKey, err = keyPlace(page.Cursor); err != nil {
		return nil, "", err
	}
	holds, err := ks.node.Backend.Holds(ctx, filter)
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

// SayBlocked says how many keys a first page of [Keys.Blocked] has.
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

// keyPlace reads a cursor of [Keys.Blocked].
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
