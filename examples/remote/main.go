// Command remote uses a server from Go, without the engine inside: it enqueues, waits, and
// works. The server runs in this program, too, so that the example needs no other.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

func main() {
	ctx, stop := context.WithCancel(context.Background())
	c, err := client.New(serve(ctx)) // usually the value of OUTLAST_SERVER, with client.WithToken
	check(err)
	defer c.Close()
	worked := make(chan error)
	go func() { worked <- work(ctx, c) }()

	enqueue(ctx, c)
	wait(ctx, c)
	refuse(ctx, c)
	stop()
	check(<-worked)
}

func enqueue(ctx context.Context, c *client.Client) {
	order := client.Draft{Type: "order", Payload: json.RawMessage(`{"number": 7}`), DedupeKey: "order-7"}
	_, existing, err := c.Enqueue(ctx, order)
	check(err)
	_, again, err := c.Enqueue(ctx, order) // the same task
	check(err)
	fmt.Println("enqueued, there before:", existing, again)

	results, err := c.EnqueueBatch(ctx, []client.Draft{order, {Type: "order", DedupeKey: "order-7"}}, false)
	check(err)
	for _, one := range results {
		fmt.Println("batch:", one.Status, one.Error)
	}
}

func wait(ctx context.Context, c *client.Client) {
	done, err := c.Run(ctx, client.Draft{Type: "order", Payload: json.RawMessage(`{"number": 8}`)}, 30*time.Second)
	check(err)
	fmt.Println("run:", done.State, string(done.Result))

	t, _, err := c.Enqueue(ctx, client.Draft{Type: "order", Payload: json.RawMessage(`{"number": 0}`)})
	check(err)
	ended, err := c.Wait(ctx, t.ID, 30*time.Second)
	check(err)
	fmt.Println("wait:", ended.State, ended.LastError.Message)
}

func refuse(ctx context.Context, c *client.Client) {
	_, _, err := c.Enqueue(ctx, client.Draft{Type: "order", Policy: "gentle"})
	var problem *client.Error
	if errors.As(err, &problem) {
		fmt.Println("refused:", problem.Status, problem.Code, problem.Errors[0].Path)
	}
	if _, err := c.Task(ctx, client.NewID()); errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		fmt.Println("there is no such task")
	}
}

type Order struct{ Number int }

// ship is the handler of a type of tasks.
func ship(ctx context.Context, t *client.LeasedTask) (any, error) {
	var order Order
	if err := json.Unmarshal(t.Payload, &order); err != nil || order.Number == 0 {
		return nil, client.GiveUp(errors.New("an order has no number"))
	}
	charge, err := client.DoStep(ctx, "charge", func(ctx context.Context) (string, error) {
		key := t.ID.String() + "/charge" // by which the bank knows a repeat
		return pay(key), client.Compensate(ctx, "refund", order)
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"number": order.Number, "charge": charge}, nil
}

// pay stands for a bank, which does nothing twice under one key.
func pay(key string) string { return "paid by " + key[len(key)-len("charge"):] }

// work runs tasks until ctx ends.
func work(ctx context.Context, c *client.Client) error {
	return c.Work(ctx, map[string]client.WorkHandler{"order": ship}, client.WorkOptions{Concurrency: 4})
}

// serve starts a server with a store in memory, as `outlast serve --store memory:` does.
func serve(ctx context.Context) (url string) {
	node, err := outlast.Open(ctx, memory.New())
	check(err)
	api, err := server.New(server.Config{Client: node})
	check(err)
	check(node.Start(ctx))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go func() { _ = api.HTTP().Serve(api.Listen(listener)) }() // until the program ends
	return "http://" + listener.Addr().String()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
