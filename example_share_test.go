package outlast_test

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

type imported struct {
	Customer string `json:"customer"`
	Row      int    `json:"row"`
}

// One customer's tasks are there first. The other one's do not wait for them.
func ExampleDefinition_ShareKey() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New(), outlast.WithSlots(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	work := outlast.Define[imported, outlast.None]("import").ShareKey(func(r imported) string { return r.Customer })
	ended := make(chan string)
	work.Handle(client, outlast.NoResult(func(ctx context.Context, r imported) error {
		ended <- fmt.Sprint(r.Customer, " ", r.Row)
		return nil
	}))
	// Of each customer, two at once and 50 a second at most, over all nodes.
	_, err = client.Inspector().Queues.Put(ctx, store.Queue{Name: "default", Shares: store.ShareLimits{Concurrency: 2, Rate: "50/s"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range []imported{{"acme", 1}, {"acme", 2}, {"acme", 3}, {"bolt", 1}, {"bolt", 2}} {
		if _, err := work.Enqueue(ctx, client, r); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := client.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	defer client.Stop(ctx)
	for range 5 {
		fmt.Println(<-ended)
	}
	// Unordered output:
	// acme 1
	// bolt 1
	// acme 2
	// bolt 2
	// acme 3
}
