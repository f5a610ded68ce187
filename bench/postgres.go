package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
)

// postgresServer is a server on which places are databases of their own. The user
// of its URL must be allowed to make them.
type postgresServer struct {
	url   string
	root  int // the process, 0 when it is not on this host
	admin *pgx.Conn
	about settings
}

func connectPostgres(ctx context.Context, url string) (*postgresServer, error) {
	admin, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	server := &postgresServer{url: url, admin: admin, about: settings{}}
	for _, name := range []string{"server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size"} {
		var value string
		if err := admin.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value); err != nil {
			return nil, errors.Join(err, admin.Close(ctx))
		}
		server.about[name] = value
	}
	server.root = procNamed(int(admin.PgConn().PID()), "postgres").parent
	return server, nil
}

// place makes a database.
func (p *postgresServer) place(ctx context.Context) (place, error) {
	name := placeName()
	if _, err := p.admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return place{}, err
	}
	drop := func(ctx context.Context) error {
		_, err := p.admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		return err
	}
	at, err := url.Parse(p.url)
	if err != nil {
		return place{}, errors.Join(err, drop(ctx))
	}
	at.Path = "/" + name
	return place{url: at.String(), drop: drop, meter: &postgresMeter{server: p, url: at.String(), name: name}}, nil
}

// mayMakePlaces says beforehand if the user may not make databases.
func (p *postgresServer) mayMakePlaces(ctx context.Context) error {
	var may bool
	err := p.admin.QueryRow(ctx, "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user").Scan(&may)
	if err == nil && !may {
		err = fmt.Errorf("the user %s may not create databases, and every turn of a bench needs one of its own: ALTER ROLE … CREATEDB", p.admin.Config().User)
	}
	return err
}

func (p *postgresServer) close(ctx context.Context) error { return p.admin.Close(ctx) }

// postgresMeter reads the statistics of one database. The write-ahead log is the
// server's, so it is true only while nothing else uses the server.
type postgresMeter struct {
	server    *postgresServer
	url, name string
}

func (m *postgresMeter) read(ctx context.Context) (u use, err error) {
	u.cpu = treeTime(m.server.root)
	err = m.server.admin.QueryRow(ctx, `
		SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint, xact_commit
		FROM pg_stat_database WHERE datname = $1`, m.name).Scan(&u.log, &u.commits)
	return u, err
}

func (m *postgresMeter) left(ctx context.Context) (l leftovers, err error) {
	return l, m.inside(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			SELECT coalesce(sum(n_dead_tup), 0)::bigint, pg_database_size(current_database())
			FROM pg_stat_user_tables`).Scan(&l.dead, &l.bytes)
	})
}

// settle has fresh statistics for the planner, no dead rows and no checkpoint
// due, as a server has that was not filled a second ago.
func (m *postgresMeter) settle(ctx context.Context) error {
	return m.inside(ctx, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "VACUUM (ANALYZE)"); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, "CHECKPOINT")
		return err
	})
}

func (m *postgresMeter) inside(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, m.url)
	if err != nil {
		return err
	}
	return errors.Join(do(conn), conn.Close(ctx))
}
