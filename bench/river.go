package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

const riverName = "river"

// riverSystem is River on its pgx driver.
type riverSystem struct{}

func (riverSystem) name() string            { return riverName }
func (riverSystem) suits(store string) bool { return store == "postgres" }

func (riverSystem) knobs(of work) []knob {
	switch of {
	case running:
		return []knob{
			{"workers", []string{"10000", "5000", "2000", "500"}},
			{"cooldown", []string{"1ms", "5ms", "100ms"}},
			{"connections", []string{"16", "4", "32"}},
			{"clients", []string{"1", "2", "4"}},
			{"timeout", []string{"-1ns", "1m"}},
		}
	case enqueuing:
		return []knob{{"connections", []string{"16", "8", "4", "32"}}}
	case batching:
		return []knob{{"insert", []string{"fast", "many"}}}
	}
	lookOften := knob{"cooldown", []string{"1ms", "5ms"}}
	if of == lasting {
		lookOften = knob{"cooldown", []string{"10ms", "1ms", "100ms"}}
	}
	return []knob{
		lookOften,
		{"poll", []string{"5ms", "1ms", "20ms", "1s"}},
		{"workers", []string{"1000", "100"}},
		{"clients", []string{"1", "2"}},
	}
}

func (riverSystem) make(ctx context.Context, s *session) (place, error) {
	server, err := s.servers.onPostgres(ctx)
	if err != nil {
		return place{}, err
	}
	at, err := server.place(ctx)
	if err != nil {
		return place{}, err
	}
	pool, err := pgxpool.New(ctx, at.url)
	if err != nil {
		return place{}, errors.Join(err, at.remove(ctx))
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return place{}, errors.Join(err, at.remove(ctx))
	}
	return at, nil
}

func (riverSystem) open(ctx context.Context, at place, o nodeOptions) (node, error) {
	config, err := pgxpool.ParseConfig(at.url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(o.tuned.number("connections", 16))
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	n := &riverNode{pool: pool, options: o, handled: make(chan struct{})}
	for range o.tuned.number("clients", 1) {
		client, err := river.NewClient(riverpgxv5.New(pool), n.config())
		if err != nil {
			pool.Close()
			return nil, err
		}
		n.clients = append(n.clients, client)
	}
	return n, nil
}

// riverNode is one or more clients of one process on one pool.
type riverNode struct {
	pool    *pgxpool.Pool
	clients []*river.Client[pgx.Tx]
	options nodeOptions
	count   atomic.Int64
	handled chan struct{} // closed when the handler has succeeded often enough
}

func (n *riverNode) config() *river.Config {
	o := n.options
	cooldown := o.tuned.duration("cooldown", time.Millisecond)
	c := &river.Config{
		Logger:            slog.New(slog.DiscardHandler),
		FetchCooldown:     cooldown, // also how often inserts notify
		FetchPollInterval: max(cooldown, o.tuned.duration("poll", cooldown)),
		JobTimeout:        o.tuned.duration("timeout", -1),
	}
	if o.retries {
		c.RetryPolicy = riverRetry{o.wait}
	}
	if o.crashes {
		c.JobTimeout, c.RescueStuckJobsAfter = 2*crashTask, 2*crashTask+time.Second
		c.RetryPolicy = riverRetry{}
	}
	if o.enqueueOnly {
		return c
	}
	c.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: o.tuned.number("workers", min(o.slots, river.QueueNumWorkersMax))}}
	c.Workers = river.NewWorkers()
	river.AddWorker(c.Workers, river.WorkFunc(n.work))
	return c
}

// riverRetry makes a failed job available again after a wait.
type riverRetry struct{ wait time.Duration }

func (r riverRetry) NextRetry(*rivertype.JobRow) time.Time { return time.Now().Add(r.wait) }

// riverJob stores a payload as it is.
type riverJob struct{ payload json.RawMessage }

func (riverJob) Kind() string                   { return jobType }
func (j riverJob) MarshalJSON() ([]byte, error) { return j.payload, nil }
func (*riverJob) UnmarshalJSON([]byte) error    { return nil } // work reads the row

func (n *riverNode) work(ctx context.Context, job *river.Job[riverJob]) error {
	err := n.options.handle(ctx, job.Attempt, job.EncodedArgs)
	if err == nil && n.count.Add(1) == int64(n.options.tasks) {
		close(n.handled)
	}
	return err
}

func (n *riverNode) start(ctx context.Context) error {
	if n.options.enqueueOnly {
		return nil
	}
	for _, client := range n.clients {
		if err := client.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (n *riverNode) stop(ctx context.Context) error {
	defer n.pool.Close()
	if n.options.enqueueOnly {
		return nil
	}
	var errs []error
	for _, client := range n.clients {
		errs = append(errs, client.Stop(ctx))
	}
	return errors.Join(errs...)
}

func riverInsert(j job) *river.InsertOpts {
	if j.delay == 0 {
		return nil
	}
	return &river.InsertOpts{ScheduledAt: time.Now().Add(j.delay)}
}

func (n *riverNode) enqueue(ctx context.Context, j job) error {
	_, err := n.clients[0].Insert(ctx, riverJob{j.payload}, riverInsert(j))
	return err
}

func (n *riverNode) enqueueMany(ctx context.Context, jobs []job) error {
	params := make([]river.InsertManyParams, len(jobs))
	for i, j := range jobs {
		params[i] = river.InsertManyParams{Args: riverJob{j.payload}, InsertOpts: riverInsert(j)}
	}
	if n.options.tuned["insert"] == "many" {
		_, err := n.clients[0].InsertMany(ctx, params)
		return err
	}
	_, err := n.clients[0].InsertManyFast(ctx, params)
	return err
}

// drained asks the table, by its index, only once the handler has run often
// enough: events would cost River time during the burn-down.
func (n *riverNode) drained(ctx context.Context) error {
	if err := wait(ctx, n.handled, drainLimit); err != nil {
		return err
	}
	return until(ctx, 5*time.Millisecond, func() (drained bool, err error) {
		err = n.pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM river_job WHERE state IN ('available', 'running', 'retryable'))`).Scan(&drained)
		return drained, err
	})
}

func (n *riverNode) succeeded(ctx context.Context) (count int, err error) {
	err = n.pool.QueryRow(ctx, `SELECT count(*) FROM river_job WHERE state = 'completed'`).Scan(&count)
	return count, err
}

func (n *riverNode) settings() settings {
	s := n.options.tuned.settings()
	s["history"] = "on" // completed jobs stay for 24 h
	if n.options.retries {
		s["retry"] = "fixed " + n.options.wait.String() + " without jitter"
	}
	if n.options.crashes {
		s["JobTimeout"], s["RescueStuckJobsAfter"] = n.config().JobTimeout.String(), n.config().RescueStuckJobsAfter.String()
	}
	return s
}
