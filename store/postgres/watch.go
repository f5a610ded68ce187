package postgres

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
)

var (
	_ store.Waker      = (*Store)(nil)
	_ store.Notifier   = (*Store)(nil)
	_ store.TxNotifier = (*Store)(nil)
)

var (
	notifyTx = wire.NewQuery(`SELECT pg_notify($1::text, $2::text)`)
	// notify is notifyTx in a transaction of its own, whose commit need not wait for
	// the disk: what it tells of is there, and who misses it looks later.
	notify = wire.NewQuery(`SELECT set_config('synchronous_commit', 'off', true), pg_notify($1::text, $2::text)`)
)

// mostPayload is how long a notification may be: the server takes less than
// 8000 bytes.
const mostPayload = 7900

// anyLane is the payload for more lanes than fit.
const anyLane = "*"

// channel is the name under which the stores of one schema tell each other of
// changes.
func (s *Store) channel() string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(s.schema)) // never fails
	return "outlast_" + hex.EncodeToString(binary.BigEndian.AppendUint64(nil, sum.Sum64()))
}

// payload is a list of lanes as text, each once, with the least of its ranks: "3,7:9z" with
// the rank to the base of 36. Ranks that do not fit are left out.
func payload(lanes []store.ChangedLane) string {
	if len(lanes) == 0 {
		return anyLane
	}
	lanes = slices.Clone(lanes)
	slices.SortFunc(lanes, func(a, b store.ChangedLane) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.From, b.From))
	})
	lanes = slices.CompactFunc(lanes, func(a, b store.ChangedLane) bool { return a.Lane == b.Lane })
	for _, ranked := range []bool{true, false} {
		if text := payloadOf(lanes, ranked); len(text) <= mostPayload {
			return text
		}
	}
	return anyLane
}

func payloadOf(lanes []store.ChangedLane, ranked bool) string {
	var text []byte
	for i, l := range lanes {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(l.Lane), 10)
		if ranked && l.From != store.AnyRank {
			text = strconv.AppendInt(append(text, ':'), l.From, 36)
		}
	}
	return string(text)
}

// lanesOfPayload reads what payload made; nil for any, also for what is none.
func lanesOfPayload(text string) []store.ChangedLane {
	var lanes []store.ChangedLane
	for part := range strings.SplitSeq(text, ",") {
		number, rank, ranked := strings.Cut(part, ":")
		lane, err := strconv.ParseUint(number, 10, 16)
		changed := store.ChangedLane{Lane: uint16(lane), From: store.AnyRank}
		if err == nil && ranked {
			changed.From, err = strconv.ParseInt(rank, 36, 64)
		}
		if err != nil {
			return nil
		}
		lanes = append(lanes, changed)
	}
	return lanes
}

// Notify implements [store.Notifier].
func (s *Store) Notify(ctx context.Context, lanes []store.ChangedLane) error {
	return s.connected(ctx, func(c *wire.Conn) error {
		return c.Run(ctx, &wire.Call{Query: notify, Args: []any{s.channel(), payload(lanes)}})
	})
}

// NotifyTx implements [store.TxNotifier]; see EnqueueTx about tx.
func (s *Store) NotifyTx(ctx context.Context, tx any, lanes []store.ChangedLane) error {
	foreign, err := s.foreignOf(tx)
	if err != nil {
		return err
	}
	return foreign.apart(ctx, func(session wire.Session) error {
		return session.Run(ctx, &wire.Call{Query: notifyTx, Args: []any{s.channel(), payload(lanes)}})
	})
}

// watchPause is how long Watch waits before it connects again; it grows
// tenfold while the server does not answer.
const watchPause = 100 * time.Millisecond

// ErrNotWatching is returned by Watch where connections do not hear
// notifications: behind a pooler that gives a connection for one transaction.
var ErrNotWatching = errors.New("postgres: the connection does not hear notifications; is it from a pooler in transaction mode?")

// Watch implements [store.Waker]. It listens on a connection of its own,
// which it makes anew when it breaks; then it wakes for any lane, since it may
// have missed something.
func (s *Store) Watch(ctx context.Context, wake func(lanes []store.ChangedLane)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(s.life, cancel)
	defer stop()
	pause := watchPause
	for first := true; ; first = false {
		began := time.Now()
		err := s.listen(ctx, func() {
			if !first {
				wake(nil)
			}
		}, wake)
		if ctx.Err() != nil {
			return ended(s)
		}
		if errors.Is(err, ErrNotWatching) {
			return err
		}
		if time.Since(began) > 10*time.Second {
			pause = watchPause
		}
		if !sleep(ctx, pause) {
			return ended(s)
		}
		pause = min(2*pause, 10*watchPause)
	}
}

// listen hears notifications until the connection breaks.
func (s *Store) listen(ctx context.Context, ready func(), wake func(lanes []store.ChangedLane)) (err error) {
	config := s.pool.Config().ConnConfig
	var heard []*pgconn.Notification
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard = append(heard, n) }
	connection, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		err = errors.Join(err, connection.Close(closing))
	}()
	if _, err := connection.Exec(ctx, "LISTEN "+s.channel()); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := s.hearsItself(ctx, connection, &heard); err != nil {
		return err
	}
	ready()
	for {
		for _, n := range heard {
			if n.Channel == s.channel() && n.Payload != echo {
				wake(lanesOfPayload(n.Payload))
			}
		}
		heard = heard[:0]
		if err := hear(ctx, connection); err != nil {
			return err
		}
	}
}

// silence is after how long without notifications the connection is tried.
const silence = 10 * time.Second

// hear waits for notifications, or finds out that the connection is dead: a
// network that is cut says nothing.
func hear(ctx context.Context, connection *pgx.Conn) error {
	waiting, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	err := connection.PgConn().WaitForNotification(waiting)
	if err == nil || ctx.Err() != nil || waiting.Err() == nil {
		return err
	}
	trying, cancel := context.WithTimeout(ctx, silence/2)
	defer cancel()
	return connection.Ping(trying)
}

// echo is the payload of the notification by which Watch tests itself.
const echo = "echo"

// hearsItself sends a notification and waits for it: who does not hear it hears
// none. It comes from another connection, while this one is idle, as those of others
// do. A pooler in transaction mode would run a NOTIFY of this one where it has run
// the LISTEN, if that is free, and hand the notification over with the answer.
func (s *Store) hearsItself(ctx context.Context, connection *pgx.Conn, heard *[]*pgconn.Notification) error {
	waiting, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := s.reserved(waiting, func(c *wire.Conn) error {
		return c.Run(waiting, &wire.Call{Query: notify, Args: []any{s.channel(), echo}})
	})
	if err != nil {
		return err
	}
	for len(*heard) == 0 {
		if err := connection.PgConn().WaitForNotification(waiting); err != nil {
			if ctx.Err() == nil && waiting.Err() != nil {
				return ErrNotWatching
			}
			return err
		}
	}
	return nil
}

var _ store.Arrivals = (*Store)(nil)

var (
	// readPlace is what a look has seen: the snapshot of a statement before it, and
	// when the server began, since ids of transactions mean nothing on another one.
	readPlace = wire.NewQuery(`SELECT pg_current_snapshot()::text || '@' || (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint`)

	// arrivedRows reads pending rows of callers' transactions that a snapshot did not
	// see: those with ids from its end on, and those that were in progress in it. By the
	// index, nothing that was inserted before is walked past: OFFSET 0 keeps the planner
	// from joining all that ever arrived. Inputs: lanes, snapshot.
	arrivedRows = wire.NewQuery(`SELECT t.* FROM unnest($1::integer[]) AS u (lane) CROSS JOIN LATERAL (
 SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane + 0 = u.lane AND t.arrived >= pg_snapshot_xmax($2::text::pg_snapshot)` + isPending + ` UNION ALL
 SELECT a.* FROM pg_snapshot_xip($2::text::pg_snapshot) AS x (id) CROSS JOIN LATERAL (
  SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane + 0 = u.lane AND t.arrived = x.id` + isPending + ` OFFSET 0) a) t`)
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
	calls := []*wire.Call{{Query: readPlace, Start: func() { found = store.Arrival{} }, Scan: func(r wire.Row) error {
		found.Next = r.Text(0)
		return nil
	}}}
	if known {
		calls = append(calls, &wire.Call{Query: arrivedRows, Args: []any{numbers, seen.snapshot}, Scan: func(r wire.Row) error {
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
