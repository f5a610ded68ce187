package main

import (
	"context"
	"errors"
	"time"

	own "github.com/outlast-dev/outlast/internal/servers"
)

// servers are those of a whole run: given by flags, or started when the first
// bench needs them.
type servers struct {
	config   config
	postgres *postgresServer
	mariadb  *mariadbServer
	redis    *redisServer
	citus    *citusServer
	temporal int // the process of Temporal's server, 0 for none
	closers  []func(context.Context) error
}

// options of the servers that this program starts: their defaults, with all that
// makes a commit durable.
func (v *servers) options() []own.Option {
	if v.config.fast {
		return []own.Option{own.Fast()}
	}
	return []own.Option{own.Durable()}
}

// onPostgres connects to the one given, or starts one.
func (v *servers) onPostgres(ctx context.Context) (*postgresServer, error) {
	if v.postgres != nil {
		return v.postgres, nil
	}
	url := string(v.config.store)
	if v.config.store.scheme() != "postgres" || v.config.store.own() {
		options := append(v.options(), own.With("deadlock_timeout=1s"), own.Programs(v.config.programs))
		if v.config.fast {
			options = append(options, own.With("max_connections=400")) // tests run benches side by side
		}
		if v.config.profile != "" {
			options = append(options, own.With("shared_preload_libraries="+statementsModule))
		}
		server, err := own.Postgres(ctx, options...)
		if err != nil {
			return nil, err
		}
		v.later(server.Close)
		url = server.URL("postgres")
	}
	server, err := connectPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	v.postgres = server
	v.closers = append(v.closers, server.close)
	return server, nil
}

// onMariaDB connects to the one given, or starts one.
func (v *servers) onMariaDB(ctx context.Context) (*mariadbServer, error) {
	if v.mariadb != nil {
		return v.mariadb, nil
	}
	url := string(v.config.store)
	if v.config.store.scheme() != "mysql" || v.config.store.own() {
		server, err := own.MariaDB(ctx, v.options()...)
		if err != nil {
			return nil, err
		}
		v.later(server.Close)
		url = server.URL("")
	}
	server, err := connectMariaDB(ctx, url)
	if err != nil {
		return nil, err
	}
	v.mariadb = server
	v.closers = append(v.closers, server.close)
	return server, nil
}

// onRedis connects to the one given, or starts one.
func (v *servers) onRedis(ctx context.Context) (_ *redisServer, err error) {
	if v.redis != nil {
		return v.redis, nil
	}
	addr := v.config.redis
	if addr == "" {
		server, err := own.Redis(ctx, v.options()...)
		if err != nil {
			return nil, err
		}
		v.later(server.Close)
		addr = server.Addr()
	}
	v.redis, err = connectRedis(ctx, addr)
	return v.redis, err
}

// place makes one for Outlast.
func (v *servers) place(ctx context.Context, kind address) (place, error) {
	switch kind.scheme() {
	case "postgres":
		server, err := v.onPostgres(ctx)
		if err != nil {
			return place{}, err
		}
		return server.place(ctx)
	case "mysql":
		server, err := v.onMariaDB(ctx)
		if err != nil {
			return place{}, err
		}
		return server.place(ctx)
	}
	return newPlace(kind, v.config.dir)
}

// about are the settings of the server that has a kind of store.
func (v *servers) about(store string) settings {
	switch {
	case store == "postgres" && v.postgres != nil:
		return v.postgres.about
	case store == "mysql" && v.mariadb != nil:
		return v.mariadb.about
	case store == "redis" && v.redis != nil:
		return v.redis.about
	case store == onCitus.scheme() && v.citus != nil:
		return v.citus.about
	}
	return nil
}

// cpu is what the servers on this host have used so far.
func (v *servers) cpu() (used time.Duration) {
	used = treeTime(v.temporal)
	if v.postgres != nil {
		used += treeTime(v.postgres.root)
	}
	if v.mariadb != nil {
		used += treeTime(v.mariadb.root)
	}
	if v.redis != nil {
		used += treeTime(v.redis.root)
	}
	if v.citus != nil {
		used += v.citus.cpu()
	}
	return used
}

// later has something closed at the end of the run.
func (v *servers) later(fn func() error) {
	v.closers = append(v.closers, func(context.Context) error { return fn() })
}

func (v *servers) stop(ctx context.Context) error {
	var errs []error
	for i := len(v.closers) - 1; i >= 0; i-- {
		errs = append(errs, v.closers[i](ctx))
	}
	return errors.Join(errs...)
}
