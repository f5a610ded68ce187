package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// redisPlaces is how many databases a Redis has unless its configuration says
// otherwise; the first one is left alone.
const redisPlaces = 16

// redisServer is a server on which places are its numbered databases.
type redisServer struct {
	addr  string
	root  int // the process, 0 when it is not on this host
	about settings
}

var redisProcess = regexp.MustCompile(`process_id:(\d+)`)

func connectRedis(ctx context.Context, addr string) (*redisServer, error) {
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = client.Close() }()
	info, err := client.Info(ctx, "server").Result()
	if err != nil {
		return nil, fmt.Errorf("redis at %s: %w", addr, err)
	}
	server := &redisServer{addr: addr, about: settings{}}
	if found := redisProcess.FindStringSubmatch(info); found != nil {
		id, _ := strconv.Atoi(found[1])
		server.root = procNamed(id, "redis-server").id
	}
	for _, name := range []string{"appendonly", "appendfsync", "save"} {
		values, err := client.ConfigGet(ctx, name).Result()
		if err != nil {
			return nil, err
		}
		server.about[name] = values[name]
	}
	return server, nil
}

// redisTaken is a key that says that somebody uses a database.
const redisTaken = "outlast-bench"

// place takes a database that is empty.
func (r *redisServer) place(ctx context.Context) (place, error) {
	for i := 1; i < redisPlaces; i++ {
		client := redis.NewClient(&redis.Options{Addr: r.addr, DB: i})
		size, err := client.DBSize(ctx).Result()
		taken := false
		if err == nil && size == 0 {
			taken, err = client.SetNX(ctx, redisTaken, os.Getpid(), 0).Result()
		}
		if err = errors.Join(err, client.Close()); err != nil {
			return place{}, err
		}
		if !taken {
			continue
		}
		return place{url: fmt.Sprintf("redis://%s/%d", r.addr, i), meter: &redisMeter{r, i}, drop: func(ctx context.Context) error {
			return r.flush(ctx, i)
		}}, nil
	}
	return place{}, fmt.Errorf("redis at %s: databases 1 to %d are all in use", r.addr, redisPlaces-1)
}

func (r *redisServer) flush(ctx context.Context, i int) error {
	client := redis.NewClient(&redis.Options{Addr: r.addr, DB: i, ReadTimeout: -1})
	return errors.Join(client.FlushDB(ctx).Err(), client.Close())
}

// redisMeter reads what there is to be read.
type redisMeter struct {
	server *redisServer
	number int
}

func (m *redisMeter) read(context.Context) (use, error) {
	return use{cpu: treeTime(m.server.root)}, nil
}

var redisMemory = regexp.MustCompile(`used_memory:(\d+)`)

// left tells the memory in use.
func (m *redisMeter) left(ctx context.Context) (l leftovers, err error) {
	client := redis.NewClient(&redis.Options{Addr: m.server.addr, DB: m.number})
	info, err := client.Info(ctx, "memory").Result()
	if found := redisMemory.FindStringSubmatch(info); found != nil {
		l.bytes, _ = strconv.ParseInt(found[1], 10, 64)
	}
	return l, errors.Join(err, client.Close())
}

func (m *redisMeter) settle(context.Context) error { return nil }
