// Command hello is the program of the README: a task that fails twice and is then done.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/sqlite"
)

var Welcome = outlast.Define[string, string]("welcome")

func main() {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, "tasks.db") // or postgres.Open, mysql.Open
	check(err)
	client, err := outlast.Open(ctx, store)
	check(err)
	Welcome.Handle(client, func(ctx context.Context, name string) (string, error) {
		if run, _ := outlast.Info(ctx); run.Attempt < 3 {
			return "", errors.New("the mail server is away") // an error is tried again
		}
		return "sent to " + name, nil
	})
	check(client.Start(ctx))
	defer client.Stop(ctx) //nolint:errcheck // the example ends

	sent, err := Welcome.Run(ctx, client, "ada@example.com") // or Enqueue, EnqueueTx, without waiting
	check(err)
	fmt.Println(sent)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
