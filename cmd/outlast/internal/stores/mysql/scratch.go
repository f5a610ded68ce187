package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
)

// noDatabaseRight is the number of a refusal to make a database.
const noDatabaseRight = 1044

// marker is a table without rows, whose comment says what its database is.
const marker = "prove_mark"

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
	if err == nil { // it says nothing all the while; the server may wait for 24 days at most
		_, err = held.ExecContext(ctx, "SET SESSION wait_timeout = 2147483")
	}
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
	if got.Int64 != 1 {
		return "", fmt.Errorf("somebody else holds %s", d.What(name))
	}
	_, err := d.db.ExecContext(ctx, "CREATE DATABASE "+quoteName(name)+" CHARACTER SET utf8mb4")
	var refused *driver.MySQLError
	if errors.As(err, &refused) && refused.Number == noDatabaseRight {
		return "", kind.NoScratch("a database", "GRANT ALL ON `outlast\\_prove\\_%`.* TO the user", err)
	}
	if err == nil {
		_, err = d.db.ExecContext(ctx, "CREATE TABLE "+quoteName(name)+"."+marker+" (n int) COMMENT '"+kind.ScratchMark+"'")
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
	rows, err := d.db.QueryContext(ctx, `SELECT table_schema FROM information_schema.tables
		WHERE table_name = ? AND table_comment = ? AND IS_USED_LOCK(table_schema) IS NULL`, marker, kind.ScratchMark)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		if kind.IsScratch(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, rows.Err()
}

func (d *databases) Drop(ctx context.Context, name string) error {
	_, err := d.db.ExecContext(ctx, "DROP DATABASE IF EXISTS "+quoteName(name))
	return err
}

func (d *databases) Close() { _, _ = d.held.Close(), d.db.Close() } // at worst it is gone

func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
