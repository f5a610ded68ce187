package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/store/postgres"
)

// oldestPostgres is the first version that the store works with.
const oldestPostgres = 130000

// besidePool is how many connections a node has beside its pool: two for
// heartbeats, and one that listens.
const besidePool = 3

// examine looks at the server of a store URL.
func examine(ctx context.Context, r *report.Report, url string) (proceed bool, err error) {
	address, err := Parse(url)
	if err != nil {
		return false, err
	}
	conn, err := connect(ctx, address.Pool.ConnConfig)
	if err != nil {
		return false, r.Unreachable(kind.Unavailable(address, postgres.Explain(err)))
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	r.Add("store", report.Fine, "postgres, "+address.String(), "")
	r.Pool = int(address.Pool.MaxConns) + besidePool
	return true, examineServer(ctx, r, conn, address)
}

// doctor looks at a PostgreSQL server through one connection.
type doctor struct {
	*report.Report
	conn     *pgx.Conn
	schema   string // "" for the first of the search path
	prepares bool   // the store prepares statements on its connections
	settings map[string]string
}

// connect opens the connection of the doctor. It prepares nothing:
// poolers that give connections for one transaction may lose what was.
func connect(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	config = config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pgx.ConnectConfig(ctx, config)
}

// examineServer adds what the server itself tells: what could lose data,
// what could stop the nodes, and what makes them slow.
func examineServer(ctx context.Context, r *report.Report, conn *pgx.Conn, address Address) error {
	d := &doctor{Report: r, conn: conn, schema: address.Schema, prepares: address.Prepares()}
	if err := d.readSettings(ctx); err != nil {
		return err
	}
	d.version()
	for _, examine := range []func(context.Context) error{
		d.privileges, d.durability, d.standbys, d.connections, d.housekeeping, d.clock, d.pooler,
	} {
		if err := examine(ctx); err != nil {
			return err
		}
	}
	d.wal()
	return nil
}

func (d *doctor) readSettings(ctx context.Context) error {
	// Settings that a version does not have are left out.
	rows, err := d.conn.Query(ctx, `SELECT name, current_setting(name) FROM pg_settings WHERE name IN ('server_version', 'server_version_num',
		'server_encoding', 'fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'max_connections',
		'superuser_reserved_connections', 'autovacuum', 'track_counts', 'wal_level', 'max_wal_size', 'default_transaction_read_only',
		'statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`)
	if err != nil {
		return err
	}
	d.settings = map[string]string{}
	var name, value string
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		d.settings[name] = value
		return nil
	})
	return err
}

func (d *doctor) version() {
	text := "PostgreSQL " + d.settings["server_version"]
	switch {
	case report.Number(d.settings["server_version_num"]) < oldestPostgres:
		d.Add("database version", report.Fails, text+" is too old", "update the server to a supported version")
	case d.settings["server_encoding"] != "UTF8":
		d.Add("database version", report.Fails, text+", and the database is encoded in "+d.settings["server_encoding"], "create the database with ENCODING 'UTF8'")
	default:
		d.Add("database version", report.Fine, text, "")
	}
}

// durability is about what a loss of power can take.
func (d *doctor) durability(ctx context.Context) error {
	var recovering bool
	if err := d.conn.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&recovering); err != nil {
		return err
	}
	switch s := d.settings; {
	case recovering:
		d.Add("durability", report.Fails, "this server is a read-only standby", "name all servers in the URL and add target_session_attrs=read-write")
	case s["default_transaction_read_only"] == "on":
		d.Add("durability", report.Fails, "transactions are read-only by default", "ALTER ROLE or ALTER DATABASE ... RESET default_transaction_read_only")
	case s["fsync"] == "off":
		d.Add("durability", report.Fails, "fsync is off: a loss of power can destroy the whole database", "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()")
	case s["full_page_writes"] == "off":
		d.Add("durability", report.Fails, "full_page_writes is off: a loss of power can tear pages", "ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf()")
	case s["synchronous_commit"] == "off":
		d.Add("durability", report.Warns, "synchronous_commit is off: a crash of the server can lose the last second of acknowledged data", "ALTER ROLE or ALTER SYSTEM SET synchronous_commit = on")
	default:
		d.Add("durability", report.Fine, "fsync on, synchronous_commit "+s["synchronous_commit"], "")
	}
	return nil
}

// standbys is about what a failover can take.
func (d *doctor) standbys(ctx context.Context) error {
	rows, err := d.conn.Query(ctx, `SELECT coalesce(nullif(application_name, ''), 'unnamed'), coalesce(sync_state, ''),
		coalesce(pg_wal_lsn_diff(sent_lsn, flush_lsn), -1)::bigint FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'`)
	if err != nil {
		return err
	}
	var name, state string
	var lag int64
	var sync, async, unseen []string
	_, err = pgx.ForEachRow(rows, []any{&name, &state, &lag}, func() error {
		switch state {
		case "sync", "quorum":
			sync = append(sync, name)
		case "":
			unseen = append(unseen, name)
		default: // async, potential
			async = append(async, fmt.Sprintf("%s (%s behind)", name, report.Size(lag)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	wanted := d.settings["synchronous_standby_names"]
	waits := d.settings["synchronous_commit"] != "off" && d.settings["synchronous_commit"] != "local"
	switch {
	case wanted == "" && len(async) > 0:
		d.Add("standbys", report.Warns, strings.Join(async, ", ")+": asynchronous. A failover loses acknowledged data that has not arrived there: "+
			"tasks are lost or run again", "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'; SELECT pg_reload_conf()")
	case wanted != "" && !waits:
		d.Add("standbys", report.Warns, "synchronous_commit is "+d.settings["synchronous_commit"]+", so commits do not wait for the synchronous standbys", "ALTER ROLE or ALTER SYSTEM SET synchronous_commit = on")
	case len(unseen) > 0:
		d.Add("standbys", report.Warns, cli.Plural(len(unseen), "standby connection")+"; this user may not see details", "GRANT pg_monitor TO the user, and look again")
	case wanted != "" && len(sync) == 0:
		d.Add("standbys", report.Fails, "synchronous_standby_names is set but no such standby is connected: every commit waits", "start the standby, or clear synchronous_standby_names")
	case len(sync) > 0:
		d.Add("standbys", report.Fine, "synchronous: "+strings.Join(sync, ", "), "")
	default:
		d.Add("standbys", report.Fine, "none", "")
	}
	return nil
}

// connections compares what the server allows with what is in use.
func (d *doctor) connections(ctx context.Context) error {
	var used int
	if err := d.conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE backend_type IS NULL OR backend_type = 'client backend'`).Scan(&used); err != nil {
		return err
	}
	d.RoomFor(used, report.Number(d.settings["max_connections"])-report.Number(d.settings["superuser_reserved_connections"]))
	return nil
}

// housekeeping is about dead rows, which make everything slow.
func (d *doctor) housekeeping(ctx context.Context) error {
	var oldest, prepared float64 // seconds
	var statement string
	err := d.conn.QueryRow(ctx, `SELECT
		coalesce((SELECT extract(epoch FROM max(clock_timestamp() - xact_start)) FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)), 0)::float8,
		coalesce((SELECT extract(epoch FROM max(clock_timestamp() - prepared)) FROM pg_prepared_xacts), 0)::float8,
		coalesce((SELECT 'pid ' || pid || coalesce(' of ' || usename::text, '') || coalesce(', ' || nullif(application_name, ''), '') FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) ORDER BY xact_start LIMIT 1), '')`).Scan(&oldest, &prepared, &statement)
	if err != nil {
		return err
	}
	age := report.Seconds(oldest)
	switch {
	case d.settings["autovacuum"] == "off" || d.settings["track_counts"] == "off":
		d.Add("vacuum", report.Warns, "autovacuum is off: dead rows pile up and everything becomes slow", "ALTER SYSTEM SET autovacuum = on, track_counts = on; SELECT pg_reload_conf()")
	case prepared > report.OldTransaction.Seconds():
		d.Add("vacuum", report.Warns, "a prepared transaction is "+report.Seconds(prepared).String()+" old: dead rows cannot be removed", "see pg_prepared_xacts; ROLLBACK PREPARED it")
	case age > report.OldTransaction:
		d.Add("vacuum", report.Warns, "a transaction is "+age.String()+" old ("+statement+"): dead rows cannot be removed", "end it: SELECT pg_terminate_backend(pid)")
	default:
		d.Add("vacuum", report.Fine, "autovacuum on, oldest transaction "+age.String(), "")
	}
	for _, name := range []string{"statement_timeout", "transaction_timeout"} {
		if limit, err := d.milliseconds(ctx, name); err != nil {
			return err
		} else if limit > 0 && limit < shortTimeout {
			d.Add("timeouts", report.Warns, name+" is "+d.settings[name]+": large batches and clean-ups may never end", "ALTER ROLE ... SET "+name+" = '60s'")
			return nil
		}
	}
	d.Add("timeouts", report.Fine, "none is too short", "")
	return nil
}

// shortTimeout is what a statement of the store may need.
const shortTimeout = 10 * time.Second

func (d *doctor) milliseconds(ctx context.Context, name string) (time.Duration, error) {
	var value int64
	err := d.conn.QueryRow(ctx, `SELECT coalesce((SELECT setting::bigint FROM pg_settings WHERE name = $1), 0)`, name).Scan(&value)
	return time.Duration(value) * time.Millisecond, err
}

func (d *doctor) wal() {
	d.Add("wal", report.Fine, "wal_level "+d.settings["wal_level"]+", max_wal_size "+d.settings["max_wal_size"], "")
}

// clock compares the clocks: tasks are due by the database's.
func (d *doctor) clock(ctx context.Context) error {
	return d.CompareClocks(func() (now time.Time, err error) {
		err = d.conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now)
		return now, err
	})
}

// pooler finds out what stands between, and whether notifications come
// through. A pool invents the number of the connection that it tells its
// clients; one that gives connections for a transaction loses what was
// listened to.
func (d *doctor) pooler(ctx context.Context) error {
	other, err := pgx.ConnectConfig(ctx, d.conn.Config())
	if err != nil {
		return err
	}
	defer other.Close(ctx) //nolint:errcheck // it was only needed for this
	between, shared, err := d.shares(ctx, other)
	if err != nil {
		return err
	}
	if shared && d.prepares {
		d.Add("prepared statements", report.Warns, "a pooler in transaction mode: prepared statements get lost or collide",
			"add default_query_exec_mode=exec to the store URL, unless the pooler keeps them (max_prepared_statements of PgBouncer 1.21)")
	}
	heard, err := d.hears(ctx, other)
	switch {
	case err != nil:
		return err
	case shared:
		d.Add("wake-ups", report.Warns, "a pooler in transaction mode blocks notifications: nodes find the tasks of others by polling",
			"nothing to do if this is fast enough; otherwise give nodes a URL of the server itself")
	case !heard:
		d.Add("wake-ups", report.Warns, "notifications do not arrive: nodes find the tasks of others by polling", "check proxies between this machine and the server")
	case between:
		d.Add("wake-ups", report.Fine, "notifications arrive, through a pooler in session mode", "")
	default:
		d.Add("wake-ups", report.Fine, "notifications arrive", "")
	}
	return nil
}

// shares reports whether a pooler stands between, and whether it gives away
// our connection of the server between two transactions.
func (d *doctor) shares(ctx context.Context, other *pgx.Conn) (between, shared bool, err error) {
	const which = `SELECT pg_backend_pid()`
	var first, theirs, second uint32
	if err := d.conn.QueryRow(ctx, which).Scan(&first); err != nil {
		return false, false, err
	}
	tx, err := other.Begin(ctx) // it keeps the connection that it gets
	if err != nil {
		return false, false, err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // it changed nothing
	if err := tx.QueryRow(ctx, which).Scan(&theirs); err != nil {
		return false, false, err
	}
	err = d.conn.QueryRow(ctx, which).Scan(&second)
	return first != d.conn.PgConn().PID(), first != second || first == theirs, err
}

// hears listens to what another connection tells.
func (d *doctor) hears(ctx context.Context, other *pgx.Conn) (bool, error) {
	if _, err := d.conn.Exec(ctx, `LISTEN outlast_doctor`); err != nil {
		return false, err
	}
	defer d.conn.Exec(ctx, `UNLISTEN outlast_doctor`) //nolint:errcheck // the connection is closed next
	if _, err := other.Exec(ctx, `NOTIFY outlast_doctor`); err != nil {
		return false, err
	}
	wait, cancel := context.WithTimeoutCause(ctx, time.Second, errors.New("no notification within 1s"))
	defer cancel()
	_, err := d.conn.WaitForNotification(wait)
	if wait.Err() != nil && ctx.Err() == nil {
		return false, nil
	}
	return err == nil, err
}
