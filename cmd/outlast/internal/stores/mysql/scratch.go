package mysql

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
)

// noDatabaseRight is the number of a refusal to make a database.
const noDatabaseRight = 1044

// databases are scratch places. One is held by whoever has the lock of its name.
type databases struct {
	url     string
	address Address
	db      *sql.DB
	held    *sql.Conn
}

func scratch(ctx context.Context, url string) (kind.Scratch, error) {
	address, err := Parse(url)
	if err != nil {
		return nil, err
	}
	db, err := address.Open()
	if err != nil {
		return nil, err
	}
	if err := greet(ctx, db, address); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	held, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(kind.Unavailable(address, err), db.Close())
	}
	return &databases{url, address, db, held}, nil
}

func (d *databases) What(name string) string {
	return "database " + name + " of " + d.address.Config.Addr
}

func (d *databases) Server() (network, address string) {
	return d.address.Config.Net, d.address.Config.Addr
}

func (d *databases) Make(ctx context.Context, name string) (string, error) {
	var got sql.NullInt64
	if err := d.held.QueryRowContext(ctx, "SELECT GET_LOCK(?, 0)", name).Scan(&got); err != nil {
		return "", err
	}
	_, err := d.db.ExecContext(ctx, "CREATE DATABASE "+quoteName(name)+" CHARACTER SET utf8mb4")
	var refused *driver.MySQLError
	if errors.As(err, &refused) && refused.Number == noDatabaseRight {
		return "", kind.NoScratch("a database", "GRANT ALL ON `outlast\\_prove\\_%`.* TO the user", err)
	}
	if err != nil {
		return "", err
	}
	return inDatabase(d.url, name)
}

// inDatabase is a store URL for another database of the same server.
func inDatabase(address, name string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	u.Path = path.Join("/", name)
	return u.String(), nil
}

func (d *databases) Left(ctx context.Context) (names []string, err error) {
	rows, err := d.db.QueryContext(ctx, `SELECT schema_name FROM information_schema.schemata WHERE LEFT(schema_name, ?) = ? AND IS_USED_LOCK(schema_name) IS NULL`,
		len(kind.ScratchPrefix), kind.ScratchPrefix)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, rows.Err()
}

func (d *databases) Drop(ctx context.Context, name string) error {
	_, err := d.db.ExecContext(ctx, "DROP DATABASE IF EXISTS "+quoteName(name))
	return err
}

func (d *databases) Close() error { return errors.Join(d.held.Close(), d.db.Close()) }

func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
