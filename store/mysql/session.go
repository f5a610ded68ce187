package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/literal"
)

// settings are made once on every connection that the store uses.
var settings = []string{
	// Each statement sees what is committed, and locks rows but no gaps.
	`SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED`,
	// Data that does not fit is refused and never cut. Quotes and backslashes
	// mean what they usually do.
	`SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'`,
	`SET SESSION time_zone = '+00:00'`,
	// MariaDB would make a table of a long list of ids, which it may join as it
	// likes, rather than look each of them up. For MySQL this is a comment.
	`SET SESSION autocommit = 1 /*M!, SESSION in_predicate_conversion_threshold = 0 */`,
	// A lock that is not had in a moment is waited for by starting again, so
	// that the context is looked at. Also the limit of a dedupe key.
	`SET SESSION innodb_lock_wait_timeout = 1`,
	// A process that is stopped inside a transaction holds its locks, and so
	// lanes that others want to take, no longer than this: the server closes a
	// connection that is silent for so many seconds. Those that are idle are
	// given up before that. MariaDB has a limit of its own for transactions:
	// before others find that the process is dead, its locks are gone.
	`SET SESSION wait_timeout = 6 /*M!, SESSION idle_transaction_timeout = 3 */`,
}

// idleFor is how long a connection may have been idle to be used again.
const idleFor = 4 * time.Second

// A connection that was idle may have been forgotten on the way, by a firewall or by
// a server that has lost its power: what is sent into it is never answered. So one
// that was idle for trialAfter is asked first, and given up after trialWithin. Busy
// ones are not: a limit on their statements would break those that take long.
const (
	trialAfter  = 200 * time.Millisecond
	trialWithin = time.Second
)

// runner is a connection or a caller's transaction.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// session runs statements one after the other.
type session struct {
	ctx context.Context
	on  runner
}

// exec runs a statement.
func (s *session) exec(query string, args ...any) (sql.Result, error) {
	text, err := literal.In(query, args)
	if err != nil {
		return nil, err
	}
	return s.on.ExecContext(s.ctx, text)
}

// changed runs a statement and returns the number of rows that it inserted,
// deleted or changed.
func (s *session) changed(query string, args ...any) (int64, error) {
	result, err := s.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// each calls scan with every row.
func (s *session) each(query string, scan func(*sql.Rows) error, args ...any) (err error) {
	text, err := literal.In(query, args)
	if err != nil {
		return err
	}
	rows, err := s.on.QueryContext(s.ctx, text)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// first scans the first row into places and reports whether there is one.
func (s *session) first(query string, places []any, args ...any) (found bool, err error) {
	err = s.each(query, func(rows *sql.Rows) error {
		if found {
			return nil
		}
		found = true
		return rows.Scan(places...)
	}, args...)
	return found, err
}

// one scans the only row of a statement without arguments.
func (s *session) one(query string, places ...any) error {
	found, err := s.first(query, places)
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return err
}

// sessions are the connections that a store has taken out of the pool. They
// keep their settings, and go back to the pool closed.
type sessions struct {
	db    *sql.DB
	slots chan struct{} // one element per session in use

	mu     sync.Mutex
	idle   []idleConn // that used last comes last
	closed chan struct{}
}

type idleConn struct {
	*sql.Conn
	since time.Time
}

func newSessions(db *sql.DB, most int) *sessions {
	return &sessions{db: db, slots: make(chan struct{}, most), closed: make(chan struct{})}
}

// do runs fn with a session that nobody else uses meanwhile. A connection is
// used again unless fn leaves it in doubt.
func (p *sessions) do(ctx context.Context, fn func(*session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.slots <- struct{}{}:
	case <-p.closed: // which has the slots
		return store.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-p.slots }()
	conn, err := p.take(ctx)
	if err != nil {
		return err
	}
	sound := false
	defer func() { p.put(conn, sound) }() // also when fn panics
	err = fn(&session{ctx, conn})
	sound = err == nil || verdict(err) || errors.Is(err, errAgain) || errors.As(err, new(refusedError)) || numbered(err) != 0
	return err
}

func (p *sessions) take(ctx context.Context) (*sql.Conn, error) {
	p.mu.Lock()
	if p.isClosed() {
		p.mu.Unlock()
		return nil, store.ErrClosed
	}
	if last := len(p.idle) - 1; last >= 0 && time.Since(p.idle[last].since) < idleFor {
		kept := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		if kept.leads(ctx) {
			return kept.Conn, nil
		}
		discard(kept.Conn)
		p.mu.Lock()
	}
	old := p.idle // the others have been idle for as long, or longer
	p.idle = nil
	p.mu.Unlock()
	discardAll(old)
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	for _, setting := range settings {
		if _, err := conn.ExecContext(ctx, setting); err != nil {
			discard(conn)
			return nil, err
		}
	}
	return conn, nil
}

func (p *sessions) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// leads reports whether a connection still leads to the server.
func (c idleConn) leads(ctx context.Context) bool {
	if time.Since(c.since) < trialAfter {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, trialWithin)
	defer cancel()
	return c.PingContext(ctx) == nil
}

func (p *sessions) put(conn *sql.Conn, sound bool) {
	p.mu.Lock()
	if sound && !p.isClosed() {
		p.idle = append(p.idle, idleConn{conn, time.Now()})
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	discard(conn)
}

// forget drops the idle connections, after one has turned out to be dead: most
// likely all are.
func (p *sessions) forget() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	discardAll(idle)
}

// close waits until no session is in use and closes all.
func (p *sessions) close() error {
	p.mu.Lock()
	close(p.closed)
	p.mu.Unlock()
	deadline := time.NewTimer(closeTimeout)
	defer deadline.Stop()
	for range cap(p.slots) {
		select {
		case p.slots <- struct{}{}:
		case <-deadline.C:
			p.forget()
			return errors.New("mysql: calls are still in flight after 5 s")
		}
	}
	p.forget()
	return nil
}

// closeTimeout bounds how long Close waits for calls in flight.
const closeTimeout = 5 * time.Second

// discard closes a connection instead of giving it back with our settings.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}

func discardAll(idle []idleConn) {
	for _, conn := range idle {
		discard(conn.Conn)
	}
}
