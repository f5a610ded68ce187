package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// The consumer stops reading while the queue is full, goes on when there is room, and a
// group that reads the topic again from its beginning makes no second task.
func TestConsume(t *testing.T) {
	const messages, room = 20, 10
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	produce(t, cluster.ListenAddrs(), messages)

	backend := memory.New()
	client, err := outlast.Open(t.Context(), backend, outlast.WithEnqueueOnly())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Inspector().Queues.Put(t.Context(), store.Queue{Name: queue, MaxPending: room}); err != nil {
		t.Fatal(err)
	}
	first := read(t, cluster.ListenAddrs(), "first", client)
	committed(t, first, room) // nobody works, and more does not fit

	work(t, backend)
	committed(t, first, messages)
	committed(t, read(t, cluster.ListenAddrs(), "second", client), messages)
	if n, err := client.Inspector().Tasks.Count(t.Context(), store.Filter{Type: taskType}, 2*messages); err != nil || n != messages {
		t.Errorf("%d messages have made %d tasks: %v", messages, n, err)
	}
}

func produce(t *testing.T, brokers []string, messages int) {
	producer, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.DefaultProduceTopic("orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	for i := range messages {
		record := &kgo.Record{Key: fmt.Appendf(nil, "customer-%d", i%4), Value: fmt.Appendf(nil, `{"id": "A-%d"}`, i)}
		if err := producer.ProduceSync(t.Context(), record).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// read is a group that reads the topic from its beginning, a message at a time, until the
// end of the test.
func read(t *testing.T, brokers []string, group string, client *outlast.Client) *kgo.Client {
	consumer, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumerGroup(group), kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- consume(ctx, consumer, client, 1) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the group %s: %v", group, err)
		}
		consumer.Close()
	})
	return consumer
}

// committed waits until the group has committed so many messages.
func committed(t *testing.T, consumer *kgo.Client, messages int64) {
	t.Helper()
	wait(t, func() bool {
		var sum int64
		for _, partitions := range consumer.CommittedOffsets() {
			for _, at := range partitions {
				sum += max(at.Offset, 0) // -1 for none
			}
		}
		return sum == messages
	})
}

// work runs the orders until the end of the test.
func work(t *testing.T, backend store.Backend) {
	client, err := outlast.Open(t.Context(), backend, outlast.WithQueues(queue))
	if err != nil {
		t.Fatal(err)
	}
	outlast.Handle(client, taskType, func(context.Context, Order) error { return nil })
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Stop(context.WithoutCancel(t.Context())) })
}

func wait(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.After(time.Minute); !done(); {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatal("it does not happen")
		}
	}
}
