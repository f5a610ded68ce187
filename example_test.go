package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

type Order struct {
	ID     string `json:"id"`
	Amount int    `json:"amount"`
}

func Example() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New()) // sqlite.Open in earnest
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "order.ship", func(_ context.Context, order Order) error {
		fmt.Println("shipping", order.ID)
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	done, err := client.Run(ctx, outlast.Draft{Type: "order.ship", Payload: []byte(`{"id": "A-1"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.State)
	// Output:
	// shipping A-1
	// succeeded
}

// Run waits for the result, or says how the call died.
func ExampleDefinition_Run() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	charge := outlast.Define[Order, outlast.None]("charge", outlast.MaxAttempts(3), outlast.Interval(10*time.Millisecond))
	charge.Handle(client, outlast.NoResult(func(_ context.Context, order Order) error {
		return errors.New("the bank does not answer")
	}))
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	_, err = charge.Run(ctx, client, Order{ID: "A-1", Amount: 100})
	var dead *outlast.DeadError
	if errors.As(err, &dead) {
		fmt.Println(dead.Reason, "after", dead.Attempt, "attempts:", dead.Failure.Message)
	}
	// Output: exhausted after 3 attempts: the bank does not answer
}

func ExampleSnooze() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	looks := 0
	outlast.Handle(client, "report.fetch", func(context.Context, string) error {
		if looks++; looks < 2 {
			return outlast.Snooze(time.Second) // not ready: no failure
		}
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	done, err := client.Run(ctx, outlast.Draft{Type: "report.fetch", Payload: []byte(`"7"`)})
	fmt.Println(done.State, "at attempt", done.Attempt, "after", looks, "looks", err)
	// Output: succeeded at attempt 1 after 2 looks <nil>
}

func ExampleClient_EnqueueMany() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New(), outlast.WithEnqueueOnly())
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	_, err = client.EnqueueMany(ctx, []outlast.Draft{{Type: "a"}, {Type: "b", Delay: -time.Second}}, true)
	fmt.Println(err)
	// Output: tasks[1].delay: -1s is outside 0s to 87600h (leave it out to run now)
}

func ExampleClient_Inspector_redrive() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	down := true
	outlast.Handle(client, "call", func(context.Context, string) error {
		if down {
			return outlast.GiveUp(errors.New("down for maintenance"))
		}
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	_, err = client.Run(ctx, outlast.Draft{Type: "call"})
	letter, _ := errors.AsType[*outlast.DeadError](err)
	fmt.Println(letter.Reason)
	down = false
	what := inspect.RedriveRequest{Filter: &store.Filter{Type: "call", Reason: task.Rejected}, DryRun: true}
	plan, err := client.Inspector().Letters.Redrive(ctx, what)
	fmt.Println("would send back", plan.Matched, err)
	if _, err := client.Inspector().Letters.Redrive(ctx, inspect.RedriveRequest{IDs: []outlast.ID{letter.ID}}); err != nil {
		log.Fatal(err)
	}
	again, err := client.Wait(ctx, letter.ID)
	fmt.Println(again.State, err)
	// Output:
	// rejected
	// would send back 1 <nil>
	// succeeded <nil>
}
