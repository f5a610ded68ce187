package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/store/mysql"
)

// The first versions that the store works with.
const (
	oldestMySQL   = 800
	oldestMariaDB = 1006
)

// smallestPacket is what a statement of the store may need.
const smallestPacket = 8 << 20

// examine looks at the server of a store URL.
func examine(ctx context.Context, r *report.Report, url string) (proceed bool, err error) {
	address, err := Parse(url)
	if err != nil {
		return false, err
	}
	db, err := address.Open()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := greet(ctx, db, address); err != nil {
		return false, r.Unreachable(err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, r.Unreachable(kind.Unavailable(address, mysql.Explain(err)))
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	r.Add("store", report.Fine, "mysql, "+address.String(), "")
	r.Pool = address.Pool
	return true, examineServer(ctx, r, conn)
}

// doctor looks at a MySQL or MariaDB server through one connection.
type doctor struct {
	*report.Report
	conn     *sql.Conn
	settings map[string]string // global ones
}

// examineServer adds what the server itself tells: what could lose data, what
// could stop the nodes, and what makes them slow.
func examineServer(ctx context.Context, r *report.Report, conn *sql.Conn) error {
	d := &doctor{Report: r, conn: conn}
	if err := d.readSettings(ctx); err != nil {
		return err
	}
	d.version()
	d.durability()
	d.statements()
	for _, examine := range []func(context.Context) error{d.privileges, d.replicas, d.connections, d.housekeeping, d.clock} {
		if err := examine(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *doctor) readSettings(ctx context.Context) (err error) {
	rows, err := d.conn.QueryContext(ctx, `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'version_comment',
		'innodb_flush_log_at_trx_commit', 'innodb_doublewrite', 'sync_binlog', 'log_bin', 'binlog_format', 'read_only', 'super_read_only',
		'max_allowed_packet', 'sql_mode', 'max_connections', 'wsrep_on',
		'rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled', 'max_statement_time', 'max_execution_time')`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	d.settings = map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		d.settings[name] = value
	}
	return rows.Err()
}

func (d *doctor) version() {
	text := d.settings["version"]
	product, oldest := "MySQL", oldestMySQL
	if strings.Contains(strings.ToLower(text+d.settings["version_comment"]), "mariadb") {
		product, oldest = "MariaDB", oldestMariaDB
	}
	var major, minor int
	if _, err := fmt.Sscanf(text, "%d.%d", &major, &minor); err != nil || major*100+minor < oldest {
		d.Add("database version", report.Fails, product+" "+text+" is too old", "update to MySQL 8.0 or MariaDB 10.6, or later")
		return
	}
	d.Add("database version", report.Fine, product+" "+text, "")
}

// on reports whether a switch is on: servers say ON, 1, YES or worse.
func (d *doctor) on(name string) bool {
	switch strings.ToUpper(d.settings[name]) {
	case "", "0", "OFF", "NO", "NO_LOCK", "NO_LOCK_NO_ADMIN":
		return false
	}
	return true
}

// durability is about what a loss of power can take.
func (d *doctor) durability() {
	switch {
	case d.on("read_only") || d.on("super_read_only"):
		d.Add("durability", report.Fails, "the server is read-only; it may be a replica", "give nodes the URL of the primary")
	case d.settings["innodb_doublewrite"] == "OFF":
		d.Add("durability", report.Fails, "innodb_doublewrite is off: a loss of power can tear pages", "set innodb_doublewrite = ON and restart")
	case d.settings["innodb_flush_log_at_trx_commit"] == "0":
		d.Add("durability", report.Warns, "innodb_flush_log_at_trx_commit is 0: a crash of the server can lose the last second of acknowledged data", "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in its configuration")
	case d.settings["innodb_flush_log_at_trx_commit"] != "1":
		d.Add("durability", report.Warns, "innodb_flush_log_at_trx_commit is "+d.settings["innodb_flush_log_at_trx_commit"]+": a loss of power can lose the last second of acknowledged data", "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in its configuration")
	case d.on("log_bin") && d.settings["sync_binlog"] != "1":
		d.Add("durability", report.Warns, "sync_binlog is "+d.settings["sync_binlog"]+": after a loss of power, replicas may have more or fewer transactions than this server", "SET GLOBAL sync_binlog = 1, and in its configuration")
	default:
		d.Add("durability", report.Fine, "innodb_flush_log_at_trx_commit 1", "")
	}
}

// statements is about what would refuse or change the store's statements.
func (d *doctor) statements() {
	mode := strings.ToUpper(d.settings["sql_mode"])
	limit := d.settings["max_statement_time"]
	switch {
	case d.on("log_bin") && d.settings["binlog_format"] == "STATEMENT":
		d.Add("statements", report.Fails, "binlog_format is STATEMENT: InnoDB then refuses writes at READ COMMITTED", "SET GLOBAL binlog_format = 'ROW', and in its configuration")
	case report.Number(d.settings["max_allowed_packet"]) < smallestPacket:
		d.Add("statements", report.Fails, "max_allowed_packet is "+d.settings["max_allowed_packet"]+" bytes: large payloads and batches are refused", "SET GLOBAL max_allowed_packet = 16777216, and in its configuration")
	case !strings.Contains(mode, "STRICT_TRANS_TABLES") && !strings.Contains(mode, "STRICT_ALL_TABLES"):
		d.Add("statements", report.Warns, "sql_mode is not strict: programs that do not ask for strict mode can truncate data without an error", "add STRICT_TRANS_TABLES to sql_mode")
	case limit != "" && !strings.HasPrefix(limit, "0."):
		d.Add("statements", report.Warns, "max_statement_time is "+limit+" s: large batches and clean-ups may never end", "SET GLOBAL max_statement_time = 0, or for this user")
	case d.on("wsrep_on"):
		d.Add("statements", report.Warns, "a Galera cluster: nodes that write through several members get conflicts at commit, which are retried, and migrations are not serialized", "give all nodes the URL of one member, and migrate from one process")
	default:
		d.Add("statements", report.Fine, "settings are suitable", "")
	}
}

func (d *doctor) texts(ctx context.Context, query string) (all []string, err error) {
	rows, err := d.conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// replicas is about what a failover can take.
func (d *doctor) replicas(ctx context.Context) error {
	var attached int
	// Without the privilege PROCESS a user sees its own connections only.
	err := d.conn.QueryRowContext(ctx, `SELECT count(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'`).Scan(&attached)
	switch {
	case err != nil:
		return err
	case attached == 0:
		d.Add("replicas", report.Fine, "none that this user can see", "")
	case d.on("rpl_semi_sync_master_enabled") || d.on("rpl_semi_sync_source_enabled"):
		d.Add("replicas", report.Fine, cli.Plural(attached, "replica")+", semi-synchronous; a timeout makes them asynchronous", "")
	default:
		d.Add("replicas", report.Warns, cli.Plural(attached, "replica")+", asynchronous. A failover loses acknowledged data that has not arrived there: tasks are lost or run again",
			"enable semi-synchronous replication with a long timeout")
	}
	return nil
}

func (d *doctor) connections(ctx context.Context) error {
	var name string
	var used int
	if err := d.conn.QueryRowContext(ctx, `SHOW GLOBAL STATUS LIKE 'Threads_connected'`).Scan(&name, &used); err != nil {
		return err
	}
	d.RoomFor(used, report.Number(d.settings["max_connections"]))
	return nil
}

// housekeeping is about old row versions, which make everything slow.
func (d *doctor) housekeeping(ctx context.Context) error {
	var oldest float64
	err := d.conn.QueryRowContext(ctx, `SELECT COALESCE(MAX(TIMESTAMPDIFF(SECOND, trx_started, NOW())), 0) FROM information_schema.innodb_trx`).Scan(&oldest)
	switch age := report.Seconds(oldest); {
	case err != nil:
		d.Add("purge", report.Warns, "not checked: this user lacks the privilege PROCESS", "GRANT PROCESS ON *.* TO the user of doctor, or look at information_schema.innodb_trx yourself")
	case age > report.OldTransaction:
		d.Add("purge", report.Warns, "a transaction is "+age.String()+" old: deleted rows cannot be removed", "see information_schema.innodb_trx; KILL its connection")
	default:
		d.Add("purge", report.Fine, "oldest transaction "+age.String(), "")
	}
	return nil
}

// clock compares the clocks: tasks are due by the database's.
func (d *doctor) clock(ctx context.Context) error {
	return d.CompareClocks(func() (time.Time, error) {
		var micro int64
		err := d.conn.QueryRowContext(ctx, `SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)`).Scan(&micro)
		return time.UnixMicro(micro), err
	})
}
