package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// serverFacts reads what the store needs of a server: its version, and the
// largest statement that it takes.
const serverFacts = `SELECT VERSION(), @@max_allowed_packet, DATABASE()`

// checkServer refuses servers that are too old or take too little.
func (s *Store) checkServer(ctx context.Context) error {
	var version string
	var packet int64
	var database sql.NullString
	err := s.read(ctx, func(c *session) error {
		return c.one(serverFacts, &version, &packet, &database)
	})
	if err != nil {
		return err
	}
	if !database.Valid {
		return task.Invalid("store", "the connection names no database", "mysql://user:password@host:3306/database")
	}
	if packet < 2*maxStatement {
		return &task.Error{Code: task.CodeUnavailable, Message: fmt.Sprintf("the server's max_allowed_packet is %d", packet),
			Hint: fmt.Sprintf("set it to %d or more", 2*maxStatement)}
	}
	return checkVersion(version)
}

// checkVersion refuses versions older than those that the store is made for.
func checkVersion(version string) error {
	name, oldest := "MySQL", [2]int{8, 0}
	if strings.Contains(strings.ToLower(version), "mariadb") {
		name, oldest = "MariaDB", [2]int{10, 6}
		version = strings.TrimPrefix(version, "5.5.5-") // put before the version for old replicas
	}
	var got [2]int
	if _, err := fmt.Sscanf(version, "%d.%d", &got[0], &got[1]); err != nil {
		return fmt.Errorf("mysql: the version %s: %w", task.Quote(version), err)
	}
	if got[0] < oldest[0] || got[0] == oldest[0] && got[1] < oldest[1] {
		return &task.Error{Code: task.CodeUnavailable, Message: fmt.Sprintf("%s %s is too old", name, version),
			Hint: fmt.Sprintf("%s %d.%d or later is needed", name, oldest[0], oldest[1])}
	}
	return nil
}
