package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store/sqlite/internal/nodelock"
	"github.com/outlast-dev/outlast/task"
)

const driverName = "sqlite3"

// readers is the number of connections that read while the writer writes.
const readers = 4

// oldest is the first version without the WAL-reset corruption.
var oldest = [3]int{3, 51, 3}

// commonPragmas begin every connection. busy_timeout comes first, because
// the others need locks.
var commonPragmas = []string{
	// Wait for a lock inside SQLite for a moment only: the writer repeats,
	// and so meets the short gaps that other processes leave.
	`PRAGMA busy_timeout = 10`,
	// Readers and the writer do not wait for each other.
	`PRAGMA journal_mode = WAL`,
	// A commit is on disk when it returns, also if the power fails.
	`PRAGMA synchronous = FULL`,
	// There are no foreign keys; checking for some would cost.
	`PRAGMA foreign_keys = OFF`,
	// Sorting and statement journals stay in memory.
	`PRAGMA temp_store = MEMORY`,
	// Refuse values of damaged or hostile schemas.
	`PRAGMA trusted_schema = OFF`,
}

var writerPragmas = append(commonPragmas[:len(commonPragmas):len(commonPragmas)],
	// 64 MiB of pages: the hot end of every index stays in memory.
	`PRAGMA cache_size = -65536`,
	// From 32 MiB of log on the writer itself copies what the checkpointer has
	// not, so that the log can start again.
	`PRAGMA wal_autocheckpoint = 8000`,
	// Give disk space back after a burst.
	`PRAGMA journal_size_limit = 67108864`,
)

var readerPragmas = append(commonPragmas[:len(commonPragmas):len(commonPragmas)],
	`PRAGMA cache_size = -16384`,
	// A reader that waits for recovery after a crash may take longer.
	`PRAGMA busy_timeout = 5000`,
	// A defect here must not write.
	`PRAGMA query_only = ON`,
)

// openDB opens the file, which it creates when absent, on a file system
// whose locks work.
func openDB(path string) (*sql.DB, error) {
	if !driverRegistered() {
		return nil, &task.Error{Code: task.CodeUnavailable, Message: `no database/sql driver "sqlite3" is registered`,
			Hint: `import _ "github.com/ncruces/go-sqlite3/driver"`}
	}
	if err := nodelock.CheckFileSystem(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path+"-nodes", 0o700); err != nil {
		return nil, err
	}
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	if err := sameMode(path); err != nil {
		return nil, err
	}
	// The log is opened with the mode of the file.
	address := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: url.Values{"modeof": {path}}.Encode()}
	db, err := sql.Open(driverName, address.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers + 2)
	return db, nil
}

// createPrivate creates the file if it is absent, for its owner alone since
// it holds payloads.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// sameMode gives the files beside the database its mode: they hold the same.
// The driver would make the shared memory by the umask, so it is made here
// first.
func sameMode(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := createPrivate(path + "-shm"); err != nil {
		return err
	}
	for _, suffix := range [...]string{"-shm", "-wal"} {
		beside, err := os.Stat(path + suffix)
		if errors.Is(err, os.ErrNotExist) || err == nil && beside.Mode().Perm() == info.Mode().Perm() {
			continue
		}
		if err == nil {
			err = os.Chmod(path+suffix, info.Mode().Perm())
		}
		if err != nil && !errors.Is(err, os.ErrPermission) && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// connect opens one connection and sets its pragmas. Another process may be
// switching the file to WAL at the same time, so locks are waited for.
func connect(ctx context.Context, db *sql.DB, pragmas []string) (*conn, error) {
	// The driver may keep the context for as long as the connection lives.
	c, err := newConn(context.WithoutCancel(ctx), db)
	if err != nil {
		return nil, err
	}
	for _, pragma := range pragmas {
		if err := c.pragma(ctx, pragma); err != nil {
			_ = c.close()
			return nil, fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return c, nil
}

func (c *conn) pragma(ctx context.Context, text string) error {
	for {
		_, err := c.sql.ExecContext(ctx, text)
		if !busy(err) || ctx.Err() != nil {
			return err
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// pause waits, but not beyond ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var sqliteVersion = &query{sql: `SELECT sqlite_version()`}

func checkVersion(ctx context.Context, c *conn) error {
	return c.do(ctx, func() error {
		var text string
		if _, err := one(c, sqliteVersion, func(r row) { text = r.Text(0) }); err != nil {
			return err
		}
		var got [3]int
		if _, err := fmt.Sscanf(text, "%d.%d.%d", &got[0], &got[1], &got[2]); err != nil {
			return fmt.Errorf("sqlite: version %q: %w", text, err)
		}
		for i := range got {
			if got[i] > oldest[i] {
				return nil
			}
			if got[i] < oldest[i] {
				return &task.Error{Code: task.CodeUnavailable, Message: "SQLite " + text + " is too old",
					Hint: "versions before 3.51.3 can corrupt a file in WAL mode; update the driver"}
			}
		}
		return nil
	})
}

// driverRegistered reports whether a driver has the name that we open.
func driverRegistered() bool { return slices.Contains(sql.Drivers(), driverName) }
