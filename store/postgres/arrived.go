package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
)

var _ store.Arrivals = (*Store)(nil)

var (
	// readPlace is what a look has seen: the snapshot of a statement before it, and
	// when the server began, since ids of transactions mean nothing on another one.
	readPlace = newQuery(`SELECT pg_current_snapshot()::text || '@' || (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint`)

	// arrivedRows reads pending rows of callers' transactions that a snapshot did not
	// see: those with ids from its end on, and those that were in progress in it. By the
	// index, nothing that was inserted before is walked past. Inputs: lanes, snapshot.
	arrivedRows = newQuery(`SELECT t.* FROM unnest($1::integer[]) AS u (lane) CROSS JOIN LATERAL (
 SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane + 0 = u.lane AND t.arrived >= pg_snapshot_xmax($2::text::pg_snapshot)` + isPending + ` UNION ALL
 SELECT a.* FROM pg_snapshot_xip($2::text::pg_snapshot) AS x (id) CROSS JOIN LATERAL (
  SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane + 0 = u.lane AND t.arrived = x.id` + isPending + `) a) t`)
)

const isPending = ` AND t.park = 0 AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL AND ` + logged + ` IS NULL`

// Arrived implements [store.Arrivals]. Where Citus has distributed the tables, ids of
// transactions are each machine's own, and it tells nothing.
//
// A row is invisible to a snapshot exactly if the id of its transaction is at least the
// snapshot's xmax, or in the list of those that were in progress; of nested and of
// prepared transactions that is so for the outermost. The place is read before the
// rows: what commits in between comes twice, and nothing is left out.
func (s *Store) Arrived(ctx context.Context, lanes []uint16, since string) (found store.Arrival, err error) {
	if s.spread {
		return store.Arrival{}, nil
	}
	numbers := laneNumbers(lanes)
	seen, known := placeOf(since)
	calls := []*call{{query: readPlace, start: func() { found = store.Arrival{} }, scan: func(r row) error {
		found.Next = r.Text(0)
		return nil
	}}}
	if known {
		calls = append(calls, &call{query: arrivedRows, args: []any{numbers, seen.snapshot}, scan: func(r row) error {
			found.Entries = append(found.Entries, scanEntry(r))
			return nil
		}})
	}
	if _, err := s.pipeline(ctx, calls...); err != nil {
		return store.Arrival{}, err
	}
	if now, ok := placeOf(found.Next); !known || !ok || !now.follows(seen) {
		found.Entries, found.Whole = nil, true
	}
	return found, nil
}

// snapshotPlace is what a look has seen, and on which server.
type snapshotPlace struct {
	snapshot, server string
	end              uint64 // xmax
}

func placeOf(text string) (p snapshotPlace, ok bool) {
	p.snapshot, p.server, ok = strings.Cut(text, "@")
	parts := strings.Split(p.snapshot, ":")
	if !ok || len(parts) != 3 {
		return p, false
	}
	var err error
	p.end, err = strconv.ParseUint(parts[1], 10, 64)
	return p, err == nil
}

// follows reports whether a place is a later one of the same server: ids of transactions
// begin anew where a standby has taken over that lacks the last ones.
func (p snapshotPlace) follows(before snapshotPlace) bool {
	return p.server == before.server && p.end >= before.end
}
