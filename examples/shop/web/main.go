// Command web enqueues a charge and waits for its result. It links no handler, and its
// client does not start: another program, the worker, runs what it enqueues.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/examples/shop/orders"
	"github.com/outlast-dev/outlast/store/sqlite"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name the file of the database, the same as for the worker")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(file string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the example ends
	client, err := outlast.Open(ctx, store)
	if err != nil {
		return err
	}
	call, err := orders.Charge.Enqueue(ctx, client, orders.Order{ID: "A-1", Cents: 995})
	if err != nil {
		return err
	}
	fmt.Println("accepted, here before:", call.Existing)
	id, err := call.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Println("charged:", id)
	return nil
}
