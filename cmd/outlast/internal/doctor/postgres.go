package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/store"
)

// oldestPostgres is the first version that the store works with.
const oldestPostgres = 130000

// postgresDoctor looks at a PostgreSQL server through one connection.
type postgresDoctor struct {
	*report
	conn     *pgx.Conn
	schema   string // "" for the first of the search path
	prepares bool   // the store prepares statements on its connections
	settings map[string]string
}

// connectPostgres opens the connection of the doctor. It prepares nothing:
// poolers that give connections for one transaction may lose what was.
func connectPostgres(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	config = config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pgx.ConnectConfig(ctx, config)
}

// examinePostgres adds what the server itself tells: what could lose data,
// what could stop the nodes, and what makes them slow.
func (r *report) examinePostgres(ctx context.Context, conn *pgx.Conn, address stores.PostgresAddress) error {
	d := &postgresDoctor{report: r, conn: conn, schema: address.Schema, prepares: address.Prepares()}
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

func (d *postgresDoctor) readSettings(ctx context.Context) error {
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

// number reads a setting or the answer of a query as a whole number, 0 for
// what is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func (d *postgresDoctor) version() {
	text := "PostgreSQL " + d.settings["server_version"]
	switch {
	case number(d.settings["server_version_num"]) < oldestPostgres:
		d.add("database version", fails, text+" is too old", "update the server to a version that is maintained")
	case d.settings["server_encoding"] != "UTF8":
		d.add("database version", fails, text+", and the database is encoded in "+d.settings["server_encoding"], "make a database with ENCODING 'UTF8'")
	default:
		d.add("database version", fine, text, "")
	}
}

// durability is about what a loss of power can take.
func (d *postgresDoctor) durability(ctx context.Context) error {
	var recovering bool
	if err := d.conn.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&recovering); err != nil {
		return err
	}
	switch s := d.settings; {
	case recovering:
		d.add("durability", fails, "this server is a standby, which cannot be written to", "name all servers in the URL and add target_session_attrs=read-write")
	case s["default_transaction_read_only"] == "on":
		d.add("durability", fails, "transactions are read-only by default", "ALTER ROLE or ALTER DATABASE ... RESET default_transaction_read_only")
	case s["fsync"] == "off":
		d.add("durability", fails, "fsync is off: a loss of power can destroy the whole database", "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()")
	case s["full_page_writes"] == "off":
		d.add("durability", fails, "full_page_writes is off: a loss of power can tear pages", "ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf()")
	case s["synchronous_commit"] == "off":
		d.add("durability", warns, "synchronous_commit is off: a crash of the server loses what was acknowledged in its last second", "ALTER ROLE or ALTER SYSTEM SET synchronous_commit = on")
	default:
		d.add("durability", fine, "fsync on, synchronous_commit "+s["synchronous_commit"], "")
	}
	return nil
}

// standbys is about what a failover can take.
func (d *postgresDoctor) standbys(ctx context.Context) error {
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
			async = append(async, fmt.Sprintf("%s (%s behind)", name, size(lag)))
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
		d.add("standbys", warns, strings.Join(async, ", ")+": asynchronous. A failover loses what was acknowledged and had not arrived there: "+
			"tasks are lost, or run again", "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'; SELECT pg_reload_conf()")
	case wanted != "" && !waits:
		d.add("standbys", warns, "synchronous_commit is "+d.settings["synchronous_commit"]+", so that nothing waits for the synchronous standbys", "ALTER ROLE or ALTER SYSTEM SET synchronous_commit = on")
	case len(unseen) > 0:
		d.add("standbys", warns, cli.Plural(len(unseen), "standby connection")+", of which this user may not see more", "GRANT pg_monitor TO the user, and look again")
	case wanted != "" && len(sync) == 0:
		d.add("standbys", fails, "synchronous_standby_names is set and none of them is connected: every commit waits", "start the standby, or clear synchronous_standby_names")
	case len(sync) > 0:
		d.add("standbys", fine, "synchronous: "+strings.Join(sync, ", "), "")
	default:
		d.add("standbys", fine, "none", "")
	}
	return nil
}

func size(bytes int64) string {
	switch {
	case bytes < 0:
		return "an unknown amount"
	case bytes < 1<<20:
		return strconv.FormatInt(bytes>>10, 10) + " KiB"
	}
	return strconv.FormatInt(bytes>>20, 10) + " MiB"
}

// connections compares what the server allows with what is in use.
func (d *postgresDoctor) connections(ctx context.Context) error {
	var used int
	if err := d.conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE backend_type IS NULL OR backend_type = 'client backend'`).Scan(&used); err != nil {
		return err
	}
	d.roomFor(used, number(d.settings["max_connections"])-number(d.settings["superuser_reserved_connections"]))
	return nil
}

// roomFor is what both kinds of server say of their connections.
func (r *report) roomFor(used, limit int) {
	r.limit = limit
	detail := fmt.Sprintf("%d of %d in use", used, limit)
	if limit-used < limit/10+3 {
		r.add("connections", warns, detail, "raise max_connections, or give nodes smaller pools: pool_max_conns in the store URL")
		return
	}
	r.add("connections", fine, detail, "")
}

// housekeeping is about dead rows, which make everything slow.
func (d *postgresDoctor) housekeeping(ctx context.Context) error {
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
	age := seconds(oldest)
	switch {
	case d.settings["autovacuum"] == "off" || d.settings["track_counts"] == "off":
		d.add("vacuum", warns, "autovacuum does not run: dead rows pile up and everything becomes slow", "ALTER SYSTEM SET autovacuum = on, track_counts = on; SELECT pg_reload_conf()")
	case prepared > oldTransaction.Seconds():
		d.add("vacuum", warns, "a prepared transaction is "+seconds(prepared).String()+" old: dead rows cannot be removed", "see pg_prepared_xacts; ROLLBACK PREPARED it")
	case age > oldTransaction:
		d.add("vacuum", warns, "a transaction is "+age.String()+" old ("+statement+"): dead rows cannot be removed", "end it: SELECT pg_terminate_backend(pid)")
	default:
		d.add("vacuum", fine, "autovacuum on, oldest transaction "+age.String(), "")
	}
	for _, name := range []string{"statement_timeout", "transaction_timeout"} {
		if limit, err := d.milliseconds(ctx, name); err != nil {
			return err
		} else if limit > 0 && limit < shortTimeout {
			d.add("timeouts", warns, name+" is "+d.settings[name]+": large batches and clean-ups may never end", "ALTER ROLE ... SET "+name+" = '60s'")
			return nil
		}
	}
	d.add("timeouts", fine, "none that is too short", "")
	return nil
}

const (
	// oldTransaction is the age from which a transaction is in the way of vacuum.
	oldTransaction = 5 * time.Minute
	// shortTimeout is what a statement of the store may need.
	shortTimeout = 10 * time.Second
)

func seconds(n float64) time.Duration {
	return time.Duration(n * float64(time.Second)).Round(time.Second)
}

func (d *postgresDoctor) milliseconds(ctx context.Context, name string) (time.Duration, error) {
	var value int64
	err := d.conn.QueryRow(ctx, `SELECT coalesce((SELECT setting::bigint FROM pg_settings WHERE name = $1), 0)`, name).Scan(&value)
	return time.Duration(value) * time.Millisecond, err
}

func (d *postgresDoctor) wal() {
	d.add("wal", fine, "wal_level "+d.settings["wal_level"]+", max_wal_size "+d.settings["max_wal_size"], "")
}

// clock compares the clocks: tasks are due by the database's.
func (d *postgresDoctor) clock(ctx context.Context) error {
	return d.compareClocks(func() (now time.Time, err error) {
		err = d.conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now)
		return now, err
	})
}

// compareClocks asks the database for its time a few times, and believes the
// quickest answer.
func (r *report) compareClocks(ask func() (time.Time, error)) error {
	var best, skew time.Duration = time.Hour, 0
	for range 5 {
		began := time.Now()
		theirs, err := ask()
		if err != nil {
			return err
		}
		if trip := time.Since(began); trip < best {
			best, skew = trip, theirs.Sub(began.Add(trip/2))
		}
	}
	detail := fmt.Sprintf("the database's is %s from ours; a round trip takes %s", skew.Round(time.Millisecond), best.Round(10*time.Microsecond))
	switch {
	case skew.Abs() > time.Second:
		r.add("database clock", warns, detail+". Tasks are due by the database's clock, times in requests are of ours", "synchronise the clocks (NTP)")
	case best > slowTrip:
		r.add("database clock", warns, detail+", which bounds what a node can do", "run nodes near the database")
	default:
		r.add("database clock", fine, detail, "")
	}
	return nil
}

// slowTrip is a round trip that is felt: every claim and settle takes some.
const slowTrip = 20 * time.Millisecond

// pooler finds out what stands between, and whether notifications come
// through. A pool invents the number of the connection that it tells its
// clients; one that gives connections for a transaction loses what was
// listened to.
func (d *postgresDoctor) pooler(ctx context.Context) error {
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
		d.add("prepared statements", warns, "a pooler gives connections for one transaction at a time, where prepared statements get lost or meet others",
			"add default_query_exec_mode=exec to the store URL, unless the pooler keeps them (max_prepared_statements of PgBouncer 1.21)")
	}
	heard, err := d.hears(ctx, other)
	switch {
	case err != nil:
		return err
	case shared:
		d.add("wake-ups", warns, "a pooler gives connections for one transaction at a time, and keeps notifications back: nodes find the tasks of others by polling",
			"nothing, if that is soon enough; else give nodes a URL that goes to the server itself")
	case !heard:
		d.add("wake-ups", warns, "notifications do not arrive: nodes find the tasks of others by polling", "look for what stands between")
	case between:
		d.add("wake-ups", fine, "notifications arrive, through a pooler that keeps sessions", "")
	default:
		d.add("wake-ups", fine, "notifications arrive", "")
	}
	return nil
}

// shares reports whether a pooler stands between, and whether it gives away
// our connection of the server between two transactions.
func (d *postgresDoctor) shares(ctx context.Context, other *pgx.Conn) (between, shared bool, err error) {
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
func (d *postgresDoctor) hears(ctx context.Context, other *pgx.Conn) (bool, error) {
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

// examinePools compares the pools of living nodes with what the server takes.
func (r *report) examinePools(topology *store.Topology) {
	if r.limit == 0 {
		return
	}
	alive := 0
	for _, node := range topology.Nodes {
		if node.State == store.NodeAlive {
			alive++
		}
	}
	detail := fmt.Sprintf("%s with up to %d connections each, if all have this URL; the server takes %d", cli.Plural(alive, "living node"), r.pool, r.limit)
	if alive*r.pool > r.limit {
		r.add("pools", warns, detail, "raise max_connections, or set a smaller pool_max_conns in the store URL")
		return
	}
	r.add("pools", fine, detail, "")
}
