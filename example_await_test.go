package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
)

// A trip is booked once somebody has approved it, and given up after a week.
func ExampleAwait() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	trip := outlast.Define[string, string]("trip.approve")
	trip.Handle(client, func(ctx context.Context, city string) (string, error) {
		by, err := outlast.Await[string](ctx, "approval", 7*24*time.Hour)
		if errors.Is(err, outlast.ErrAwaitTimeout) {
			return "nobody has approved " + city, nil
		}
		if err != nil {
			return "", err // no signal yet: the task waits without a slot
		}
		return city + ", approved by " + by, nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	call, err := trip.Enqueue(ctx, client, "Oslo")
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Signal(ctx, call.Task.ID, "approval", "ada"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(call.Wait(ctx))
	// Output:
	// Oslo, approved by ada <nil>
}

// A signal that is sent again is no error; another is: the first one stands.
func ExampleClient_Signal() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := client.Enqueue(ctx, outlast.Draft{Type: "trip.approve"})
	if err != nil {
		log.Fatal(err)
	}
	for _, by := range []string{"ada", "ada", "bob"} {
		err := client.Signal(ctx, receipt.Task.ID, "approval", by)
		refused, _ := errors.AsType[*outlast.Error](err)
		fmt.Println(by, refused != nil && refused.Code == "conflict")
	}
	// Output:
	// ada false
	// ada false
	// bob true
}
