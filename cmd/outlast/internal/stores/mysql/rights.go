package mysql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	driver "github.com/go-sql-driver/mysql"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

// The rights that the store needs all the time, and those of migrations.
var (
	mysqlWork      = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}
	mysqlMigration = []string{"CREATE", "ALTER", "INDEX"}
)

// mysqlTrials need one right each, and change nothing. What counts is whether the
// server lets them pass: rights come by roles and patterns too, which no list of
// grants shows as they are.
var mysqlTrials = map[string]string{
	"SELECT": `SELECT value FROM outlast_counter WHERE FALSE`,
	"INSERT": `INSERT INTO outlast_counter (name, value) SELECT name, value FROM (SELECT 'x' AS name, 0 AS value) AS nothing WHERE FALSE`,
	"UPDATE": `UPDATE outlast_counter SET value = 0 WHERE FALSE`,
	"DELETE": `DELETE FROM outlast_counter WHERE FALSE`,
}

// Error numbers of MySQL and MariaDB.
const (
	mysqlNoTableRight = 1142
	mysqlNoTable      = 1146
)

// privileges tries what the store does all the time. Where there are no tables yet,
// the list of grants has to do.
func (d *doctor) privileges(ctx context.Context) error {
	var user, database string
	if err := d.conn.QueryRowContext(ctx, `SELECT CURRENT_USER(), COALESCE(DATABASE(), '')`).Scan(&user, &database); err != nil {
		return err
	}
	granted, err := d.texts(ctx, `SELECT privilege_type FROM information_schema.user_privileges WHERE grantee = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')
		UNION SELECT privilege_type FROM information_schema.schema_privileges
		WHERE grantee = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') AND DATABASE() LIKE table_schema`)
	if err != nil {
		return err
	}
	missing, tables, err := d.tryRights(ctx)
	if err != nil {
		return err
	}
	who := "user " + user + ", database " + database
	give := func(rights []string) string {
		return fmt.Sprintf("GRANT %s ON %s.* TO the user", strings.Join(rights, ", "), database)
	}
	listed := lacking(granted, slices.Concat(mysqlWork, mysqlMigration))
	switch later := lacking(granted, mysqlMigration); {
	case len(missing) > 0:
		d.Add("privileges", report.Fails, who+": no right to "+strings.Join(missing, ", "), give(missing))
	case !tables && len(listed) > 0:
		d.Add("privileges", report.Fails, who+": "+strings.Join(listed, ", ")+" not granted to the user itself, and there are no tables yet", give(listed))
	case len(later) > 0:
		d.Add("privileges", report.Warns, who+": "+strings.Join(later, ", ")+" not granted to the user itself, but needed by the next migration", give(later)+", or migrate as another user")
	default:
		d.Add("privileges", report.Fine, who, "")
	}
	return nil
}

func lacking(granted, needed []string) (missing []string) {
	for _, right := range needed {
		if !slices.Contains(granted, right) {
			missing = append(missing, right)
		}
	}
	return missing
}

// tryRights lists the rights that the user has not, and whether there are tables.
func (d *doctor) tryRights(ctx context.Context) (missing []string, tables bool, err error) {
	for _, right := range mysqlWork {
		_, err := d.conn.ExecContext(ctx, mysqlTrials[right])
		var refused *driver.MySQLError
		switch errors.As(err, &refused); {
		case refused == nil && err != nil:
			return nil, false, err
		case refused == nil:
			tables = true
		case refused.Number == mysqlNoTableRight:
			missing, tables = append(missing, right), true
		case refused.Number == mysqlNoTable:
			return nil, false, nil
		} // what else is refused, as on a server that only reads, other checks tell
	}
	return missing, tables, nil
}
