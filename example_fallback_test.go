package outlast_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// A card is charged; what cannot be charged is refunded, and who was charged is thanked.
func ExampleFunction_Fallback() {
	type Order struct{ Number int }
	ctx, ended := context.Background(), make(chan string, 2)
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	chargeCard := func(_ context.Context, order Order) error {
		if order.Number == 13 {
			return outlast.Dead(errors.New("the card has expired"))
		}
		return nil
	}
	refund := func(_ context.Context, order Order) error {
		ended <- fmt.Sprint("refund ", order.Number)
		return nil
	}
	thank := func(_ context.Context, payload json.RawMessage) error {
		ended <- "thanks for " + string(payload)
		return nil
	}

	charge := outlast.Func(client, "charge", chargeCard, outlast.Policy("payment")).
		Fallback(func(ctx context.Context, order Order) error { return refund(ctx, order) }).
		OnSuccess(func(ctx context.Context, end task.Ended) error { return thank(ctx, end.Payload) })

	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	for _, number := range []int{12, 13} {
		if _, err := charge.Go(ctx, Order{number}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(<-ended)
	}
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// thanks for {"Number":12}
	// refund 13
}
