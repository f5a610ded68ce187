package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// An invoice for each customer, and a report when the last one is done, whatever became of it.
func ExampleNewGroup() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	invoice := outlast.Define[string, outlast.None]("invoice")
	invoice.Handle(client, outlast.NoResult(func(_ context.Context, customer string) error {
		if customer == "carol" {
			return outlast.GiveUp(errors.New("there is no address"))
		}
		return nil
	}))
	reported := make(chan task.GroupEnded)
	report := outlast.Define[task.GroupEnded, outlast.None]("invoices.report")
	report.Handle(client, outlast.NoResult(func(_ context.Context, ended task.GroupEnded) error {
		reported <- ended
		return nil
	}))
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	group, err := outlast.NewGroup(ctx, client, task.Group{Label: "invoices of March"}, report)
	if err != nil {
		log.Fatal(err)
	}
	for _, customer := range []string{"alice", "bob", "carol"} {
		draft, err := invoice.Draft(customer)
		if err != nil {
			log.Fatal(err)
		}
		draft.ID = group.Member(customer) // so that a repeat is the same member
		if _, err := group.Enqueue(ctx, draft); err != nil {
			log.Fatal(err)
		}
	}
	if err := group.Close(ctx); err != nil {
		log.Fatal(err)
	}
	ended := <-reported
	fmt.Println(ended.Label, "-", ended.Succeeded, "succeeded,", ended.Dead, "died")
	// Output:
	// invoices of March - 2 succeeded, 1 died
}
