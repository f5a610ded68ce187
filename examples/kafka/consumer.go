// Command kafka hands the messages of a topic to Outlast, and commits their offsets when
// they are tasks on disk. Kafka keeps what is to come; retries, dead letters and redrives
// are Outlast's.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

const (
	queue    = "orders"
	taskType = "order.received"
	batch    = 500             // messages in one transaction; well below the queue's limit
	patience = 5 * time.Second // how long to wait for room before asking again
)

// Order is what a message says.
type Order struct {
	ID string `json:"id"`
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: kafka BROKER,BROKER TOPIC FILE.db")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, strings.Split(os.Args[1], ","), os.Args[2], os.Args[3]); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, brokers []string, topic, file string) error {
	backend, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer backend.Close() //nolint:errcheck // the program ends
	client, err := outlast.Open(ctx, backend, outlast.WithQueues(queue))
	if err != nil {
		return err
	}
	outlast.Handle(client, taskType, func(_ context.Context, order Order) error {
		fmt.Println("order", order.ID)
		return nil
	})
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the program ends
	if _, err := client.Inspector().Queues.Put(ctx, store.Queue{Name: queue, MaxPending: 100_000}); err != nil {
		return err
	}

	consumer, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumerGroup("outlast"),
		kgo.ConsumeTopics(topic),
		kgo.DisableAutoCommit(), // a message is done when it is on disk here, not when it was read
	)
	if err != nil {
		return err
	}
	defer consumer.Close()
	return consume(ctx, consumer, client, batch)
}

// consume hands over what comes until the context ends or a message is refused.
func consume(ctx context.Context, consumer *kgo.Client, client *outlast.Client, batch int) error {
	for {
		fetches := consumer.PollRecords(ctx, batch)
		if err := fetches.Err0(); err != nil {
			return err
		}
		fetches.EachError(func(topic string, partition int32, err error) {
			log.Printf("%s/%d: %v", topic, partition, err)
		})
		records := fetches.Records()
		if err := handOver(ctx, client, records); err != nil {
			return err
		}
		if err := consumer.CommitRecords(ctx, records...); err != nil {
			return err
		}
	}
}

// handOver returns when every message is a task on disk. A message that comes again finds
// its task by the dedupe key. While the queue is full nothing more is read.
func handOver(ctx context.Context, client *outlast.Client, records []*kgo.Record) error {
	drafts := make([]outlast.Draft, len(records))
	for i, r := range records {
		drafts[i] = outlast.Draft{
			Type: taskType, Queue: queue, Payload: r.Value, Key: string(r.Key),
			DedupeKey: fmt.Sprintf("%s/%d/%d", r.Topic, r.Partition, r.Offset),
		}
	}
	for {
		_, err := client.EnqueueMany(ctx, drafts, true)
		var refused *outlast.Error
		if !errors.As(err, &refused) || refused.Code != task.CodeQueueFull {
			return err
		}
		select {
		case <-time.After(min(refused.RetryAfter, patience)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
