package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/postgres"
)

// What docs/how-to shows of programs that move from River and Asynq. It is compiled and
// not run.

var errExpired = errors.New("the card has expired")

func charge(context.Context, string) error { return errExpired }

type ChargeArgs struct {
	Order string `json:"order"`
}

func (ChargeArgs) Kind() string { return "charge" }

type ChargeWorker struct {
	river.WorkerDefaults[ChargeArgs]
}

func (*ChargeWorker) Work(ctx context.Context, job *river.Job[ChargeArgs]) error {
	err := charge(ctx, job.Args.Order)
	if errors.Is(err, errExpired) {
		return river.JobCancel(err)
	}
	return err
}

func Example_river() {
	var (
		ctx  context.Context
		pool *pgxpool.Pool
		tx   pgx.Tx
	)
	workers := river.NewWorkers()
	river.AddWorker(workers, &ChargeWorker{})
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 100}},
		Workers: workers,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = client.InsertTx(ctx, tx, ChargeArgs{Order: "A-17"}, &river.InsertOpts{
		MaxAttempts: 10, UniqueOpts: river.UniqueOpts{ByArgs: true},
	})
	if err != nil {
		log.Fatal(err)
	}
}

func Example_asynq() {
	var ctx context.Context
	redis := asynq.RedisClientOpt{Addr: "127.0.0.1:6379"}
	client := asynq.NewClient(redis)
	task := asynq.NewTask("charge", []byte(`{"order": "A-17"}`))
	_, err := client.EnqueueContext(ctx, task, asynq.MaxRetry(9), asynq.Timeout(time.Minute), asynq.Unique(24*time.Hour))
	if err != nil {
		log.Fatal(err)
	}

	mux := asynq.NewServeMux()
	mux.HandleFunc("charge", func(ctx context.Context, task *asynq.Task) error {
		var order Order
		if err := json.Unmarshal(task.Payload(), &order); err != nil {
			return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
		}
		err := charge(ctx, order.ID)
		if errors.Is(err, errExpired) {
			return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
		}
		return err
	})
	server := asynq.NewServer(redis, asynq.Config{Concurrency: 100})
	log.Fatal(server.Run(mux))
}

type Order struct {
	ID string `json:"order"`
}

var Charge = outlast.Define[Order, outlast.None]("charge", outlast.MaxAttempts(10), outlast.Timeout(time.Minute)).
	Dedupe(func(o Order) string { return o.ID })

func Example_outlast() {
	var (
		ctx  context.Context
		pool *pgxpool.Pool
		tx   pgx.Tx
	)
	backend, err := postgres.Open(ctx, pool)
	if err != nil {
		log.Fatal(err)
	}
	client, err := outlast.Open(ctx, backend)
	if err != nil {
		log.Fatal(err)
	}
	Charge.Handle(client, outlast.NoResult(func(ctx context.Context, o Order) error {
		err := charge(ctx, o.ID)
		if errors.Is(err, errExpired) {
			return outlast.GiveUp(err)
		}
		return err
	}))
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}

	if _, err := Charge.EnqueueIn(ctx, client, tx, Order{ID: "A-17"}); err != nil { // in your transaction
		log.Fatal(err)
	}
	if _, err := Charge.Enqueue(ctx, client, Order{ID: "A-18"}); err != nil { // by itself
		log.Fatal(err)
	}
}
