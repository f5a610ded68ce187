// Command worker runs the charges of the shop until it is interrupted.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/examples/shop/orders"
	"github.com/outlast-dev/outlast/store/sqlite"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name the file of the database, the same as for the web server")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(file string) error {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
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
	orders.Charge.Handle(client, charge)
	if err := client.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return client.Stop(context.WithoutCancel(ctx))
}

// charge would call the bank.
func charge(ctx context.Context, order orders.Order) (orders.ChargeID, error) {
	attempt, _ := outlast.Info(ctx)
	fmt.Printf("charging %d cents for %s, attempt %d\n", order.Cents, order.ID, attempt.Attempt)
	return orders.ChargeID("charge of " + order.ID), nil
}
