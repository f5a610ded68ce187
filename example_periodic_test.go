package outlast_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store/memory"
)

// Each start of the program sees to it that the schedule is as the code has it.
func ExampleClient_Periodic() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	client.Periodic(inspect.Schedule{
		Name: "nightly", Cron: "0 3 * * *", Zone: "Asia/Shanghai", Overlap: inspect.OverlapSkip,
		Task: inspect.ScheduledTask{Type: "report.build"},
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	view, err := client.Inspector().Schedules.Get(ctx, "nightly")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(view.Name, view.Next.UTC().Format(time.TimeOnly), "kept by", view.Managed)
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: nightly 19:00:00 kept by code
}

// A task is called every second with one payload.
func ExampleDefinition_Periodic() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	called := make(chan string, 1)
	ping := outlast.Define[string, outlast.None]("ping")
	ping.Handle(client, outlast.NoResult(func(ctx context.Context, host string) error {
		select {
		case called <- host:
		default: // one is enough here
		}
		return nil
	}))
	ping.Periodic(client, inspect.Schedule{Name: "ping", Every: time.Second}, "example.com")
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("ping", <-called)
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: ping example.com
}
