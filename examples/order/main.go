// Command order takes orders by steps: reserve, charge, ship. What was done is not done
// again by a later attempt; if the order fails for good, what was done is undone, the last
// first.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/sqlite"
)

func main() {
	if err := example(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// example runs on the database file that is named, or on a temporary one.
func example(args []string) error {
	if len(args) > 0 {
		return run(args[0])
	}
	folder, err := os.MkdirTemp("", "outlast-order-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the example ends
	return run(filepath.Join(folder, "example.db"))
}

// Order is what a customer has bought.
type Order struct {
	Item  string
	Cents int
	Card  string
	To    string
}

// Charge is a payment; the key is that by which the bank knows it.
type Charge struct {
	Key   string
	Cents int
}

// These stand in a package that web servers and workers import.
var (
	Place   = outlast.Define[Order, string]("order.place", outlast.MaxAttempts(5), outlast.Interval(50*time.Millisecond))
	Release = outlast.Define[string, outlast.None]("order.release")
	Refund  = outlast.Define[Charge, outlast.None]("order.refund")
)

// place is the handler of an order. Each step has returned once, whatever ends the process.
func place(ctx context.Context, order Order) (string, error) {
	_, err := outlast.Step(ctx, "reserve", func(ctx context.Context) (outlast.None, error) {
		reserve(order.Item)
		return outlast.None{}, outlast.Compensate(ctx, Release, order.Item)
	})
	if err != nil {
		return "", err
	}
	_, err = outlast.Step(ctx, "charge", func(ctx context.Context) (Charge, error) {
		charge, err := pay(ctx, order)
		if err != nil {
			return charge, err
		}
		return charge, outlast.Compensate(ctx, Refund, charge)
	})
	if err != nil {
		return "", err
	}
	return outlast.Step(ctx, "ship", func(ctx context.Context) (string, error) { return ship(ctx, order) })
}

// reserve would call the warehouse.
func reserve(item string) { fmt.Printf("%s: reserved\n", item) }

// pay would call the bank. A process that is killed before the step is on disk calls it
// again, so the bank gets a key by which it knows the payment.
func pay(ctx context.Context, order Order) (Charge, error) {
	if order.Card == "expired" {
		fmt.Printf("%s: the card has expired\n", order.Item)
		return Charge{}, outlast.GiveUp(errors.New("the card has expired"))
	}
	info, _ := outlast.Info(ctx)
	fmt.Printf("%s: charged %d cents\n", order.Item, order.Cents)
	return Charge{Key: info.ID.String() + "/charge", Cents: order.Cents}, nil
}

// ship would call a carrier, who does not answer at first.
func ship(ctx context.Context, order Order) (string, error) {
	info, _ := outlast.Info(ctx)
	switch {
	case info.Attempt == 1:
		fmt.Printf("%s: the carrier does not answer\n", order.Item)
		return "", errors.New("no answer")
	case order.To == "nowhere":
		fmt.Printf("%s: there is no such address\n", order.Item)
		return "", outlast.GiveUp(errors.New("there is no such address"))
	}
	return fmt.Sprintf("shipped to %s in attempt %d", order.To, info.Attempt), nil
}

func run(file string) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the example ends
	client, err := outlast.Open(ctx, store)
	if err != nil {
		return err
	}
	released := make(chan struct{}, 1) // the step that is undone last
	Place.Handle(client, place)
	Refund.Handle(client, outlast.NoResult(func(_ context.Context, charge Charge) error {
		fmt.Printf("refunded %d cents\n", charge.Cents)
		return nil
	}))
	Release.Handle(client, outlast.NoResult(func(_ context.Context, item string) error {
		fmt.Printf("released the %s\n", item)
		released <- struct{}{}
		return nil
	}))
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends

	for _, order := range []Order{{"lamp", 4900, "1234", "Ada"}, {"sofa", 99900, "expired", "Bob"}, {"desk", 25000, "5678", "nowhere"}} {
		parcel, err := Place.Run(ctx, client, order)
		var dead *outlast.DeadError
		switch {
		case errors.As(err, &dead):
			<-released
		case err != nil:
			return err
		default:
			fmt.Printf("%s: %s\n", order.Item, parcel)
		}
	}
	return nil
}
