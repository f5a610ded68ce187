//go:build unix

package servertest

import (
	"errors"
	"sync"
	"testing"
)

// Shelf keeps databases that tests use one after the other: to make one, with its tables,
// takes longer than most tests. A test that changes more of a database than rows takes one
// of its own.
type Shelf struct {
	// Fill makes what a new database is to have; its connections are closed when it returns.
	Fill func(t testing.TB, address string)
	// Empty deletes the rows of a database that was used.
	Empty func(t testing.TB, address string)

	mu   sync.Mutex
	free []string
}

// Postgres lends a database of PostgreSQL until the end of the test.
func (s *Shelf) Postgres(t testing.TB) string {
	t.Helper()
	return s.lend(t, func() string { return makePostgres(t, postgres.address(t, "postgres"), keep) })
}

// MariaDB lends a database of MariaDB until the end of the test.
func (s *Shelf) MariaDB(t testing.TB) string {
	t.Helper()
	return s.lend(t, func() string { return makeMariaDB(t, mariadb.address(t, ""), keep) })
}

// lend takes a database from the shelf, or makes one, and puts it back when all else has
// ended that the test cleans up.
func (s *Shelf) lend(t testing.TB, make func() string) (address string) {
	t.Helper()
	s.mu.Lock()
	used := len(s.free) > 0
	if used {
		address = s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
	}
	s.mu.Unlock()
	if used {
		s.Empty(t, address)
	} else {
		address = make()
		s.Fill(t, address)
	}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, address)
	})
	return address
}

// kept drops the databases of all shelves.
var kept struct {
	mu   sync.Mutex
	drop []func() error
}

// keep leaves a database until all tests have ended.
func keep(drop func() error) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.drop = append(kept.drop, drop)
}

// dropKept drops what tests have left on shelves.
func dropKept() (err error) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for _, drop := range kept.drop {
		err = errors.Join(err, drop())
	}
	kept.drop = nil
	return err
}
