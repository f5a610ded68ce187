package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

const (
	asynqName    = "asynq"
	asynqQueue   = "default"
	asynqHistory = 24 * time.Hour
)

// asynqSystem is Asynq on Redis. Its tasks are as safe as the append-only
// file, which Redis syncs once a second.
type asynqSystem struct{}

func (asynqSystem) name() string { return asynqName }

// suits: it is the same beside any store of Outlast that is a server.
func (asynqSystem) suits(store string) bool { return store == "postgres" || store == "mysql" }

func (asynqSystem) knobs(of work) []knob {
	switch of {
	case running:
		return []knob{
			{"servers", []string{"4", "1", "2"}}, // each takes one task after the other
			{"workers", []string{"50", "10", "200", "1000"}},
			{"delayed-check", []string{"10ms", "1ms", "1s"}},
			{"connections", []string{"20", "100"}},
		}
	case enqueuing:
		return []knob{{"connections", []string{"20", "10", "50"}}}
	case batching:
		return []knob{{"callers", []string{"64", "16", "256"}}, {"connections", []string{"50", "20", "100"}}}
	}
	return []knob{
		{"check", []string{"5ms", "1ms", "20ms"}},
		{"delayed-check", []string{"5ms", "1ms", "20ms"}},
		{"workers", []string{"100", "1000"}},
	}
}

func (asynqSystem) make(ctx context.Context, s *session) (place, error) {
	server, err := s.servers.onRedis(ctx)
	if err != nil {
		return place{}, err
	}
	return server.place(ctx)
}

func (asynqSystem) open(ctx context.Context, at place, o nodeOptions) (node, error) {
	options, err := redis.ParseURL(at.url)
	if err != nil {
		return nil, err
	}
	where := asynq.RedisClientOpt{Addr: options.Addr, DB: options.DB, PoolSize: o.tuned.number("connections", 0)}
	n := &asynqNode{client: asynq.NewClient(where), redis: redis.NewClient(options), options: o, handled: make(chan struct{})}
	if o.enqueueOnly {
		return n, nil
	}
	for range o.tuned.number("servers", 1) {
		n.servers = append(n.servers, asynq.NewServer(where, n.config()))
	}
	return n, n.redis.Ping(ctx).Err()
}

// asynqNode is one or more servers of one process.
type asynqNode struct {
	client  *asynq.Client
	servers []*asynq.Server
	redis   *redis.Client
	options nodeOptions
	count   atomic.Int64
	handled chan struct{} // closed when the handler has succeeded often enough
}

func (n *asynqNode) config() asynq.Config {
	o := n.options
	c := asynq.Config{
		Concurrency:              o.tuned.number("workers", o.slots),
		TaskCheckInterval:        o.tuned.duration("check", 5*time.Millisecond),
		DelayedTaskCheckInterval: o.tuned.duration("delayed-check", 5*time.Millisecond),
		Logger:                   quiet{},
		LogLevel:                 asynq.FatalLevel,
	}
	if o.retries || o.crashes {
		c.RetryDelayFunc = func(int, error, *asynq.Task) time.Duration { return o.wait }
	}
	return c
}

// quiet logs nothing.
type quiet struct{}

func (quiet) Debug(...any) {}
func (quiet) Info(...any)  {}
func (quiet) Warn(...any)  {}
func (quiet) Error(...any) {}
func (quiet) Fatal(...any) {}

func (n *asynqNode) work(ctx context.Context, t *asynq.Task) error {
	retried, _ := asynq.GetRetryCount(ctx)
	err := n.options.handle(ctx, retried+1, t.Payload())
	if err == nil && n.count.Add(1) == int64(n.options.tasks) {
		close(n.handled)
	}
	return err
}

func (n *asynqNode) start(context.Context) error {
	for _, server := range n.servers {
		if err := server.Start(asynq.HandlerFunc(n.work)); err != nil {
			return err
		}
	}
	return nil
}

func (n *asynqNode) stop(context.Context) error {
	for _, server := range n.servers {
		server.Shutdown()
	}
	return errors.Join(n.client.Close(), n.redis.Close())
}

func (n *asynqNode) enqueue(ctx context.Context, j job) error {
	options := []asynq.Option{asynq.Retention(asynqHistory)}
	if j.delay > 0 {
		options = append(options, asynq.ProcessIn(j.delay))
	}
	_, err := n.client.EnqueueContext(ctx, asynq.NewTask(jobType, j.payload), options...)
	return err
}

// enqueueMany calls enqueue from several goroutines: there is no call for many.
func (n *asynqNode) enqueueMany(ctx context.Context, jobs []job) error {
	var next atomic.Int64
	return share(n.options.tuned.number("callers", 64), len(jobs), func(int) error {
		return n.enqueue(ctx, jobs[next.Add(1)-1])
	})
}

func (n *asynqNode) drained(ctx context.Context) error {
	if err := wait(ctx, n.handled, drainLimit); err != nil {
		return err
	}
	return until(ctx, 5*time.Millisecond, func() (bool, error) {
		active, err := n.redis.LLen(ctx, "asynq:{"+asynqQueue+"}:active").Result()
		return active == 0, err
	})
}

func (n *asynqNode) succeeded(ctx context.Context) (int, error) {
	count, err := n.redis.ZCard(ctx, "asynq:{"+asynqQueue+"}:completed").Result()
	return int(count), err
}

func (n *asynqNode) settings() settings {
	s := n.options.tuned.settings()
	s["history"] = "on" // by Retention
	if n.options.retries {
		s["retry"] = "fixed " + n.options.wait.String() + " without jitter"
	}
	return s
}
