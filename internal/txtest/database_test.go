package txtest

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver sqlite3

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
)

func TestMain(m *testing.M) {
	if place := os.Getenv(childPlace); place != "" {
		child(place)
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // they mostly wait
		panic(err) // there is such a flag
	}
	goleak.VerifyTestMain(servertest.Wrap(m), goleak.IgnoreTopFunction("github.com/ncruces/go-sqlite3/vfs.init.0.func1"))
}

// database is where the tasks and the application's own tables are. Its
// address can be handed to another process.
type database struct {
	kind    kind
	address string
}

// kind is one way of an application to one database.
type kind struct {
	name string
	// alone says that an open transaction shuts every other writer out.
	alone bool
	// tells says that the database passes wake-ups on.
	tells bool
	// address makes an empty database, filled lends one with the tables of Outlast and
	// those of the application.
	address, filled func(t testing.TB) string
	// store opens it.
	store func(ctx context.Context, address string) (store.Backend, error)
	// pool opens the application's own connections.
	pool func(ctx context.Context, address string) (pool, error)
}

// pool is the application's own connections.
type pool interface {
	begin(ctx context.Context) (tx, error)
	exec(ctx context.Context, statement string, args ...any) error
	number(ctx context.Context, query string, args ...any) (int, error)
	// retried is a transaction that is repeated as a whole.
	retried(ctx context.Context, do func(context.Context, tx) error) error
	close()
	// loseAnswer lets the server answer the next COMMIT to nobody: the
	// connection is lost instead. False where there is no network between.
	loseAnswer() bool
}

// tx is a transaction of the application.
type tx interface {
	exec(ctx context.Context, statement string, args ...any) error
	number(ctx context.Context, query string, args ...any) (int, error)
	enqueue(ctx context.Context, client *outlast.Client, drafts ...outlast.Draft) ([]outlast.Receipt, error)
	complete(ctx context.Context, result any) error
	notify(ctx context.Context, client *outlast.Client, receipts ...outlast.Receipt) error
	commit(ctx context.Context) error
	rollback(ctx context.Context) error
}

var sqliteKind = kind{
	name: "sqlite", alone: true,
	address: newFile,
	filled: func(t testing.TB) string {
		path := newFile(t)
		fill(t, path, openSQLite, sqlitePool)
		return path
	},
	store: openSQLite,
	pool:  sqlitePool,
}

func newFile(t testing.TB) string { return filepath.Join(t.TempDir(), "app.db") }

func openSQLite(ctx context.Context, path string) (store.Backend, error) {
	return sqlite.Open(ctx, path)
}

func sqlitePool(_ context.Context, path string) (pool, error) {
	return openSQL("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(20000)", plain)
}

// fill makes the tables of Outlast and those of the application.
func fill(t testing.TB, address string, open func(context.Context, string) (store.Backend, error), connect func(context.Context, string) (pool, error)) {
	t.Helper()
	backend, err := open(t.Context(), address)
	if err == nil {
		err = backend.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for _, table := range []string{
		`CREATE TABLE effect (task VARCHAR(40) NOT NULL, step INT NOT NULL, claim_number BIGINT NOT NULL)`,
		`CREATE TABLE counter (id INT PRIMARY KEY, value INT NOT NULL)`,
	} {
		if err := p.exec(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
}

// sqlPool is a pool of database/sql.
type sqlPool struct {
	db    *sql.DB
	spell func(string) string
	cut   *cut

	isolation sql.IsolationLevel // of retried transactions
}

func openSQL(driver, address string, spell func(string) string) (*sqlPool, error) {
	db, err := sql.Open(driver, address)
	if err != nil {
		return nil, err
	}
	return poolOf(db, spell), nil
}

func poolOf(db *sql.DB, spell func(string) string) *sqlPool {
	db.SetMaxOpenConns(10)
	return &sqlPool{db: db, spell: spell}
}

// plain is the spelling of placeholders as question marks, dollars that of
// PostgreSQL.
func plain(statement string) string { return statement }

func dollars(statement string) string {
	for n := 1; strings.Contains(statement, "?"); n++ {
		statement = strings.Replace(statement, "?", fmt.Sprint("$", n), 1)
	}
	return statement
}

func (p *sqlPool) begin(ctx context.Context) (tx, error) {
	begun, err := p.db.BeginTx(ctx, nil)
	return &sqlTx{begun, p.spell}, err
}

func (p *sqlPool) exec(ctx context.Context, statement string, args ...any) error {
	_, err := p.db.ExecContext(ctx, p.spell(statement), args...)
	return err
}

func (p *sqlPool) number(ctx context.Context, query string, args ...any) (n int, err error) {
	err = p.db.QueryRowContext(ctx, p.spell(query), args...).Scan(&n)
	return n, err
}

func (p *sqlPool) close() { _ = p.db.Close() }

func (p *sqlPool) loseAnswer() bool { return p.cut.arm() }

type sqlTx struct {
	*sql.Tx
	spell func(string) string
}

func (t *sqlTx) exec(ctx context.Context, statement string, args ...any) error {
	_, err := t.ExecContext(ctx, t.spell(statement), args...)
	return err
}

func (t *sqlTx) number(ctx context.Context, query string, args ...any) (n int, err error) {
	err = t.QueryRowContext(ctx, t.spell(query), args...).Scan(&n)
	return n, err
}

func (t *sqlTx) enqueue(ctx context.Context, client *outlast.Client, drafts ...outlast.Draft) ([]outlast.Receipt, error) {
	return client.EnqueueTx(ctx, t.Tx, drafts...)
}

func (t *sqlTx) complete(ctx context.Context, result any) error {
	return outlast.CompleteTx(ctx, t.Tx, result)
}

func (t *sqlTx) notify(ctx context.Context, client *outlast.Client, receipts ...outlast.Receipt) error {
	return client.NotifyTx(ctx, t.Tx, receipts...)
}

func (t *sqlTx) commit(context.Context) error   { return t.Commit() }
func (t *sqlTx) rollback(context.Context) error { return t.Rollback() }
