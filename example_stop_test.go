package outlast_test

import (
	"context"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
)

// A signal ends the context of the program. Stop is given one that has not ended,
// so that what is running gets its grace time.
func ExampleClient_Stop() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()

	client, err := outlast.Open(ctx, memory.New(), outlast.WithGrace(10*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	begun, stopping := make(chan struct{}), make(chan struct{})
	outlast.Handle(client, "report.build", func(ctx context.Context, _ string) error {
		close(begun)
		<-stopping // Stop has been called
		fmt.Println("the report is built:", ctx.Err() == nil)
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := client.Enqueue(ctx, outlast.Draft{Type: "report.build", Payload: []byte(`"7"`)}); err != nil {
		log.Fatal(err)
	}
	<-begun
	cancel() // as the signal does

	time.AfterFunc(50*time.Millisecond, func() { close(stopping) })
	<-ctx.Done()
	if err := client.Stop(context.WithoutCancel(ctx)); err != nil {
		log.Print(err)
	}
	// Output: the report is built: true
}
