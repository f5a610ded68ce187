package retrysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// silentConn is a database that costs nothing.
type silentConn struct{}

func (silentConn) Connect(context.Context) (driver.Conn, error) { return silentConn{}, nil }
func (silentConn) Driver() driver.Driver                        { return nil }
func (silentConn) Prepare(string) (driver.Stmt, error)          { return nil, driver.ErrSkip }
func (silentConn) Close() error                                 { return nil }
func (silentConn) Begin() (driver.Tx, error)                    { return silentConn{}, nil }
func (silentConn) Commit() error                                { return nil }
func (silentConn) Rollback() error                              { return nil }
func (silentConn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}

// BenchmarkTx is a transaction of one statement over a driver that costs nothing,
// plain and under a policy.
func BenchmarkTx(b *testing.B) {
	db := sql.OpenDB(silentConn{})
	defer db.Close()
	ctx := context.Background()
	write := func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "write")
		return err
	}
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := write(ctx, tx); err != nil {
				b.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("under a policy", func(b *testing.B) {
		p := retry.Default()
		b.ReportAllocs()
		for b.Loop() {
			if err := Tx(ctx, db, p, nil, write); err != nil {
				b.Fatal(err)
			}
		}
	})
}
