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
)

var (
	_ store.Waker      = (*Store)(nil)
	_ store.Notifier   = (*Store)(nil)
	_ store.TxNotifier = (*Store)(nil)
)

var (
	notifyTx = newQuery(`SELECT pg_notify($1::text, $2::text)`)
	// notify is notifyTx in a transaction of its own, whose commit need not wait for
	// the disk: what it tells of is there, and who misses it looks later.
	notify = newQuery(`SELECT set_config('synchronous_commit', 'off', true), pg_notify($1::text, $2::text)`)
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
	return s.connected(ctx, func(c *conn) error {
		return c.run(ctx, &call{query: notify, args: []any{s.channel(), payload(lanes)}})
	})
}

// NotifyTx implements [store.TxNotifier]; see EnqueueTx about tx.
func (s *Store) NotifyTx(ctx context.Context, tx any, lanes []store.ChangedLane) error {
	foreign, err := s.foreignOf(tx)
	if err != nil {
		return err
	}
	return foreign.apart(ctx, func(session session) error {
		return session.run(ctx, &call{query: notifyTx, args: []any{s.channel(), payload(lanes)}})
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
			return nil
		}
		if errors.Is(err, ErrNotWatching) {
			return err
		}
		if time.Since(began) > 10*time.Second {
			pause = watchPause
		}
		if !sleep(ctx, pause) {
			return nil
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
	err := s.reserved(waiting, func(c *conn) error {
		return c.run(waiting, &call{query: notify, args: []any{s.channel(), echo}})
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
