package outlast_test

import (
	"context"
	"fmt"
	"log"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
)

// A program with a timer of its own, such as cron, works what is due at each tick and
// nothing between.
func ExampleClient_RunDue() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New(), outlast.WithEnqueueOnly())
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "mail.send", func(_ context.Context, to string) error {
		fmt.Println("to", to)
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := client.Enqueue(ctx, outlast.Draft{Type: "mail.send", Payload: []byte(`"ada"`)}); err != nil {
		log.Fatal(err)
	}
	counts, err := client.RunDue(ctx, outlast.Due{Types: []string{"mail.send"}, Limit: 100})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts.Succeeded, "of", counts.Started, "succeeded,", counts.Left, "left")
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// to ada
	// 1 of 1 succeeded, 0 left
}
