package outlast_test

import (
	"context"
	"fmt"
	"log"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
)

// Charges are guarded by the provider that they call; resizing calls nobody.
func ExampleTarget() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	type Charge struct {
		Provider string
		Cents    int
	}
	charge := func(_ context.Context, c Charge) error { return nil }
	resize := func(_ context.Context, picture string) error { return nil }

	outlast.Handle(client, "charge", charge, outlast.Target(func(c Charge) string { return c.Provider })) // "@stripe"
	outlast.Handle(client, "resize", resize, outlast.NoGuards())
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	done, err := client.Run(ctx, outlast.Draft{Type: "charge", Payload: []byte(`{"Provider": "stripe", "Cents": 100}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.State, done.Target)
	// Output: succeeded @stripe
}
