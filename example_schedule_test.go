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

// A task for every night at three o'clock in Shanghai, unless that of the night
// before still runs.
func ExampleClient_Inspector_schedule() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	view, err := client.Inspector().Schedules.Put(ctx, inspect.Schedule{
		Name: "nightly", Cron: "0 3 * * *", Zone: "Asia/Shanghai", Overlap: inspect.OverlapSkip,
		Task: inspect.ScheduledTask{Type: "report.build"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(view.Name, view.Next.UTC().Format(time.TimeOnly))
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: nightly 19:00:00
}
