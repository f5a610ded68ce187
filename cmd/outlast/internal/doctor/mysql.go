package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// The first versions that the store works with.
const (
	oldestMySQL   = 800
	oldestMariaDB = 1006
)

// smallestPacket is what a statement of the store may need.
const smallestPacket = 8 << 20

// mysqlDoctor looks at a MySQL or MariaDB server through one connection.
type mysqlDoctor struct {
	*report
	conn     *sql.Conn
	settings map[string]string // global ones
}

// examineMySQL adds what the server itself tells: what could lose data, what
// could stop the nodes, and what makes them slow.
func (r *report) examineMySQL(ctx context.Context, conn *sql.Conn) error {
	d := &mysqlDoctor{report: r, conn: conn}
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

func (d *mysqlDoctor) readSettings(ctx context.Context) (err error) {
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

func (d *mysqlDoctor) version() {
	text := d.settings["version"]
	product, oldest := "MySQL", oldestMySQL
	if strings.Contains(strings.ToLower(text+d.settings["version_comment"]), "mariadb") {
		product, oldest = "MariaDB", oldestMariaDB
	}
	var major, minor int
	if _, err := fmt.Sscanf(text, "%d.%d", &major, &minor); err != nil || major*100+minor < oldest {
		d.add("database version", fails, product+" "+text+" is too old", "update to MySQL 8.0 or MariaDB 10.6, or later")
		return
	}
	d.add("database version", fine, product+" "+text, "")
}

// on reports whether a switch is on: servers say ON, 1, YES or worse.
func (d *mysqlDoctor) on(name string) bool {
	switch strings.ToUpper(d.settings[name]) {
	case "", "0", "OFF", "NO", "NO_LOCK", "NO_LOCK_NO_ADMIN":
		return false
	}
	return true
}

// durability is about what a loss of power can take.
func (d *mysqlDoctor) durability() {
	switch {
	case d.on("read_only") || d.on("super_read_only"):
		d.add("durability", fails, "the server is read-only; it may be a replica", "give nodes the URL of the primary")
	case d.settings["innodb_doublewrite"] == "OFF":
		d.add("durability", fails, "innodb_doublewrite is off: a loss of power can tear pages", "set innodb_doublewrite = ON and restart")
	case d.settings["innodb_flush_log_at_trx_commit"] == "0":
		d.add("durability", warns, "innodb_flush_log_at_trx_commit is 0: a crash of the server loses what was acknowledged in its last second", "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in its configuration")
	case d.settings["innodb_flush_log_at_trx_commit"] != "1":
		d.add("durability", warns, "innodb_flush_log_at_trx_commit is "+d.settings["innodb_flush_log_at_trx_commit"]+": a loss of power takes what was acknowledged in the last second", "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in its configuration")
	case d.on("log_bin") && d.settings["sync_binlog"] != "1":
		d.add("durability", warns, "sync_binlog is "+d.settings["sync_binlog"]+": after a loss of power replicas may have transactions that this server has not, or lack some", "SET GLOBAL sync_binlog = 1, and in its configuration")
	default:
		d.add("durability", fine, "innodb_flush_log_at_trx_commit 1", "")
	}
}

// statements is about what would refuse or change the store's statements.
func (d *mysqlDoctor) statements() {
	mode := strings.ToUpper(d.settings["sql_mode"])
	limit := d.settings["max_statement_time"]
	switch {
	case d.on("log_bin") && d.settings["binlog_format"] == "STATEMENT":
		d.add("statements", fails, "binlog_format is STATEMENT: InnoDB refuses to write at READ COMMITTED then", "SET GLOBAL binlog_format = 'ROW', and in its configuration")
	case number(d.settings["max_allowed_packet"]) < smallestPacket:
		d.add("statements", fails, "max_allowed_packet is "+d.settings["max_allowed_packet"]+" bytes: large payloads and batches are refused", "SET GLOBAL max_allowed_packet = 16777216, and in its configuration")
	case !strings.Contains(mode, "STRICT_TRANS_TABLES") && !strings.Contains(mode, "STRICT_ALL_TABLES"):
		d.add("statements", warns, "sql_mode is not strict: data that does not fit is cut without an error where a program forgets to ask for strictness", "add STRICT_TRANS_TABLES to sql_mode")
	case limit != "" && !strings.HasPrefix(limit, "0."):
		d.add("statements", warns, "max_statement_time is "+limit+" s: large batches and clean-ups may never end", "SET GLOBAL max_statement_time = 0, or for this user")
	case d.on("wsrep_on"):
		d.add("statements", warns, "a Galera cluster: nodes that write through several members meet conflicts at commit, which are repeated, and migrations are not kept apart", "give all nodes the URL of one member, and migrate from one process")
	default:
		d.add("statements", fine, "settings suit the store", "")
	}
}

func (d *mysqlDoctor) texts(ctx context.Context, query string) (all []string, err error) {
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
func (d *mysqlDoctor) replicas(ctx context.Context) error {
	var attached int
	// Without the privilege PROCESS a user sees its own connections only.
	err := d.conn.QueryRowContext(ctx, `SELECT count(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'`).Scan(&attached)
	switch {
	case err != nil:
		return err
	case attached == 0:
		d.add("replicas", fine, "none that this user can see", "")
	case d.on("rpl_semi_sync_master_enabled") || d.on("rpl_semi_sync_source_enabled"):
		d.add("replicas", fine, cli.Plural(attached, "replica")+", semi-synchronous; a time-out there makes them asynchronous", "")
	default:
		d.add("replicas", warns, cli.Plural(attached, "replica")+", asynchronous. A failover loses what was acknowledged and had not arrived there: tasks are lost, or run again",
			"enable semi-synchronous replication with a long time-out")
	}
	return nil
}

func (d *mysqlDoctor) connections(ctx context.Context) error {
	var name string
	var used int
	if err := d.conn.QueryRowContext(ctx, `SHOW GLOBAL STATUS LIKE 'Threads_connected'`).Scan(&name, &used); err != nil {
		return err
	}
	d.roomFor(used, number(d.settings["max_connections"]))
	return nil
}

// housekeeping is about old row versions, which make everything slow.
func (d *mysqlDoctor) housekeeping(ctx context.Context) error {
	var oldest float64
	err := d.conn.QueryRowContext(ctx, `SELECT COALESCE(MAX(TIMESTAMPDIFF(SECOND, trx_started, NOW())), 0) FROM information_schema.innodb_trx`).Scan(&oldest)
	switch age := seconds(oldest); {
	case err != nil:
		d.add("purge", warns, "not looked at: this user lacks the privilege PROCESS", "GRANT PROCESS ON *.* TO the user with which doctor runs, or look at information_schema.innodb_trx yourself")
	case age > oldTransaction:
		d.add("purge", warns, "a transaction is "+age.String()+" old: deleted rows cannot be removed", "see information_schema.innodb_trx; KILL its connection")
	default:
		d.add("purge", fine, "oldest transaction "+age.String(), "")
	}
	return nil
}

// clock compares the clocks: tasks are due by the database's.
func (d *mysqlDoctor) clock(ctx context.Context) error {
	return d.compareClocks(func() (time.Time, error) {
		var micro int64
		err := d.conn.QueryRowContext(ctx, `SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)`).Scan(&micro)
		return time.UnixMicro(micro), err
	})
}
