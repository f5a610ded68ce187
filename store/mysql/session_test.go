package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
	"testing"
)

// quietConn is a connection that takes every statement.
type quietConn struct{}

func (quietConn) Connect(context.Context) (driver.Conn, error) { return quietConn{}, nil }
func (quietConn) Driver() driver.Driver                        { return nil }
func (quietConn) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (quietConn) Close() error                                 { return nil }
func (quietConn) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (quietConn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(0), nil
}

// TestAConnectionIsLentOnce has many calls take and give back connections, and
// now and then one in doubt.
func TestAConnectionIsLentOnce(t *testing.T) {
	db := sql.OpenDB(quietConn{})
	p := newSessions(db, 4)
	var mu sync.Mutex
	lent := map[runner]bool{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 5000 {
				err := p.do(t.Context(), func(c *session) error {
					mu.Lock()
					twice := lent[c.on]
					lent[c.on] = true
					mu.Unlock()
					if twice {
						t.Error("a connection is lent twice")
					}
					mu.Lock()
					defer mu.Unlock()
					delete(lent, c.on)
					if i%100 == 0 {
						return errLost
					}
					return nil
				})
				if err != nil && !errors.Is(err, errLost) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(p.close(), db.Close()); err != nil {
		t.Error(err)
	}
	if n := db.Stats().OpenConnections; n > 0 {
		t.Errorf("%d connections were not given back", n)
	}
}
