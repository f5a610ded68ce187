package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	pg "github.com/outlast-dev/outlast/store/postgres"
)

// citusServer is a coordinator of Citus, on which places are schemas of one database:
// a database of their own would need Citus and its workers anew.
type citusServer struct {
	postgresServer
	roots []int // the processes of coordinator and workers, as far as they are on this host
}

// onCitus connects to the coordinator that --citus names.
func (v *servers) onCitus(ctx context.Context) (*citusServer, error) {
	if v.citus != nil {
		return v.citus, nil
	}
	if v.config.citus == "" {
		return nil, errors.New("--citus names no coordinator: postgres://user@host:port/database")
	}
	server, err := connectPostgres(ctx, v.config.citus)
	if err != nil {
		return nil, err
	}
	c := &citusServer{postgresServer: *server}
	if err := c.lookAround(ctx); err != nil {
		return nil, errors.Join(err, server.close(ctx))
	}
	v.citus = c
	v.closers = append(v.closers, server.close)
	return c, nil
}

// lookAround finds out what Citus there is.
func (c *citusServer) lookAround(ctx context.Context) error {
	var there bool
	err := c.admin.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')").Scan(&there)
	if err != nil {
		return err
	}
	if !there {
		return errors.New("the database that --citus names has no Citus: CREATE EXTENSION citus, and citus_add_node for each worker")
	}
	var version, shards string
	var workers int
	err = c.admin.QueryRow(ctx, `
		SELECT (SELECT extversion FROM pg_extension WHERE extname = 'citus'), current_setting('citus.shard_count'),
			(SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND groupid <> 0)`).Scan(&version, &shards, &workers)
	if err == nil && workers == 0 {
		err = errors.New("the coordinator that --citus names has no workers: citus_add_node")
	}
	if err != nil {
		return err
	}
	c.about["citus"], c.about["shards"], c.about["workers"] = version, shards, workers
	return c.findRoots(ctx)
}

func (c *citusServer) findRoots(ctx context.Context) error {
	rows, err := c.admin.Query(ctx, "SELECT result::int FROM run_command_on_workers('SELECT pg_backend_pid()') WHERE success")
	if err != nil {
		return err
	}
	sessions, err := pgx.CollectRows(rows, pgx.RowTo[int])
	c.roots = []int{c.root}
	for _, session := range sessions {
		c.roots = append(c.roots, procNamed(session, "postgres").parent)
	}
	return err
}

// cpu is what all of it has used on this host.
func (c *citusServer) cpu() (used time.Duration) {
	for _, root := range c.roots {
		used += treeTime(root)
	}
	return used
}

// schema makes a place, with its tables distributed by lane or on the coordinator alone.
func (c *citusServer) schema(ctx context.Context, distributed bool) (p place, err error) {
	p = place{url: c.url, schema: placeName()}
	p.drop = func(ctx context.Context) error {
		_, err := c.admin.Exec(ctx, "DROP SCHEMA IF EXISTS "+p.schema+" CASCADE")
		return err
	}
	backend, err := pg.OpenURL(ctx, c.url, pg.WithSchema(p.schema))
	if err != nil {
		return p, errors.Join(err, p.drop(ctx))
	}
	if distributed {
		_, err = backend.Distribute(ctx)
	}
	if err = errors.Join(err, backend.Close()); err != nil {
		err = errors.Join(err, p.drop(ctx))
	}
	return p, err
}

// settle has fresh statistics, no dead rows and no checkpoint due, on all machines.
// Citus passes a VACUUM on for tables that are named.
func (c *citusServer) settle(ctx context.Context, p place) error {
	rows, err := c.admin.Query(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = $1", p.schema)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := c.admin.Exec(ctx, "VACUUM (ANALYZE) "+pgx.Identifier{p.schema, table}.Sanitize()); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	for _, statement := range []string{"CHECKPOINT", "SELECT run_command_on_workers('CHECKPOINT')"} {
		if _, err := c.admin.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
