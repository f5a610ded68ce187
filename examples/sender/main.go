// Command sender hands a webhook to an Outlast server and ends.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/outlast-dev/outlast/client"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: sender URL")
	}
	outlast, err := client.New(cmp.Or(os.Getenv("OUTLAST_SERVER"), client.DefaultServer))
	if err != nil {
		log.Fatal(err)
	}
	task, existing, err := outlast.Enqueue(context.Background(), client.Draft{
		Target:    &client.Target{URL: os.Args[1]},
		Payload:   json.RawMessage(`{"event": "order.paid", "order": "A-3"}`),
		Queue:     "webhooks",
		DedupeKey: "order.paid/A-3",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(task.ID, "accepted before:", existing)
}
