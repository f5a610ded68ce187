package outlast_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// ChargeID is what a charge gives.
type ChargeID string

// These stand in a package that web servers and workers import.
var (
	Charge = outlast.Define[Order, ChargeID]("shop.charge", outlast.Policy("payment")).
		Key(func(o Order) string { return o.ID }).
		Fallback(Refund).
		OnSuccess(Thank)
	Refund = outlast.Define[Order, outlast.None]("shop.refund")
	Thank  = outlast.Define[task.Ended, outlast.None]("shop.thank")
)

// A definition is declared once. The worker gives it a handler; the web server calls it and
// links no handler, and need not start.
func ExampleDefine() {
	ctx, database := context.Background(), memory.New() // sqlite.Open or postgres.Open in earnest

	worker, err := outlast.Open(ctx, database.Handle())
	if err != nil {
		log.Fatal(err)
	}
	Charge.Handle(worker, func(_ context.Context, order Order) (ChargeID, error) {
		return ChargeID("charge of " + order.ID), nil
	})
	if err := worker.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer worker.Stop(ctx)

	web, err := outlast.Open(ctx, database)
	if err != nil {
		log.Fatal(err)
	}
	call, err := Charge.Enqueue(ctx, web, Order{ID: "A-1", Amount: 100}) // it is on disk
	if err != nil {
		log.Fatal(err)
	}
	id, err := call.Wait(ctx)
	fmt.Println(id, err)
	// Output: charge of A-1 <nil>
}

// What cannot be charged is refunded, and who was charged is thanked.
func ExampleDefinition_Fallback() {
	ctx, ended := context.Background(), make(chan string, 2)
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	Charge.Handle(client, func(_ context.Context, order Order) (ChargeID, error) {
		if order.ID == "A-13" {
			return "", outlast.GiveUp(errors.New("the card has expired"))
		}
		return "c-1", nil
	})
	Refund.Handle(client, outlast.NoResult(func(_ context.Context, order Order) error {
		ended <- "refund " + order.ID
		return nil
	}))
	Thank.Handle(client, outlast.NoResult(func(_ context.Context, end task.Ended) error {
		ended <- fmt.Sprintf("thanks for %s: %s", end.Payload, end.Result)
		return nil
	}))
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	for _, id := range []string{"A-12", "A-13"} {
		if _, err := Charge.Enqueue(ctx, client, Order{ID: id}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(<-ended)
	}
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// thanks for {"id":"A-12","amount":0}: "c-1"
	// refund A-13
}

// Many calls are accepted together, or none.
func ExampleDefinition_EnqueueAll() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	double := outlast.Define[int, int]("double")
	double.Handle(client, func(_ context.Context, n int) (int, error) { return 2 * n, nil })
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	calls, err := double.EnqueueAll(ctx, client, []int{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, call := range calls {
		fmt.Println(call.Wait(ctx))
	}
	// Output:
	// 2 <nil>
	// 4 <nil>
	// 6 <nil>
}

// The result of a task is kept with it: whoever has its id can read it.
func ExampleDefinition_Result() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	double := outlast.Define[int, int]("double")
	double.Handle(client, func(_ context.Context, n int) (int, error) { return 2 * n, nil })
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	call, err := double.Enqueue(ctx, client, 21)
	if err != nil {
		log.Fatal(err)
	}
	done, err := client.Wait(ctx, call.Task.ID) // another process, later
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(double.Result(done))
	// Output: 42 <nil>
}

// A call inside the caller's transaction exists exactly if that commits.
func ExampleDefinition_EnqueueTx() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "outlast-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "shop.db")
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	client, err := outlast.Open(ctx, store)
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)
	db, err := sql.Open("sqlite3", "file:"+file+"?_txlock=immediate")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	call, err := Charge.EnqueueTx(ctx, client, tx, Order{ID: "A-1"})
	if err != nil {
		log.Fatal(err)
	}
	if err := tx.Rollback(); err != nil { // as if the order had been refused
		log.Fatal(err)
	}
	_, err = call.Wait(ctx)
	fmt.Println(errors.Is(err, &outlast.Error{Code: task.CodeNotFound}))
	// Output: true
}

// A handler enqueues what follows without a client in a global variable.
func ExampleClientOf() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	var (
		send  = outlast.Define[string, outlast.None]("mail.send")
		greet = outlast.Define[[]string, int]("mail.greet")
		sent  = make(chan string, 2)
	)
	send.Handle(client, outlast.NoResult(func(_ context.Context, to string) error {
		sent <- to
		return nil
	}))
	greet.Handle(client, func(ctx context.Context, all []string) (int, error) {
		calls, err := send.EnqueueAll(ctx, outlast.ClientOf(ctx), all)
		return len(calls), err
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	fmt.Println(greet.Run(ctx, client, []string{"ada", "bob"}))
	fmt.Println(<-sent)
	fmt.Println(<-sent)
	// Unordered output:
	// 2 <nil>
	// ada
	// bob
}
