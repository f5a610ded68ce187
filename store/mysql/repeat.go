package mysql

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// errLost is a connection that could not even roll back.
var errLost = errors.New("mysql: the connection was lost")

// mostLost is how often one call takes a new connection after it lost one.
const mostLost = 3

// usable reports whether a connection can go on after an error: the server has
// answered, or nothing was asked of it.
func usable(err error) bool {
	return err == nil || verdict(err) || passing(err) || refusal(err) || numbered(err) != 0
}

// repeated calls fn again, after a pause that grows to 50 ms, while it fails
// for a reason that passes: a deadlock, a lock, a lost connection. A commit in
// doubt is not repeated.
func (s *Store) repeated(ctx context.Context, fn func() error) error {
	for lost, pause := 0, time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := fn()
		switch {
		case err == nil, errors.As(err, new(unknownError)), ctx.Err() != nil:
			return s.explained(err)
		case passing(err):
		case !usable(err) && lost < mostLost:
			lost++
			s.sessions.forget()
		default:
			return s.explained(err)
		}
		// Those that met in a deadlock should not meet again.
		timer := time.NewTimer(time.Duration(rand.Int64N(int64(pause)) + 1)) //nolint:gosec // no secret
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}
