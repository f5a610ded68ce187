// Command approval pays an invoice once somebody has approved it, for which it waits a week. The
// task waits without a slot, and through a restart.
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
	"github.com/outlast-dev/outlast/task"
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
	folder, err := os.MkdirTemp("", "outlast-approval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the example ends
	return run(filepath.Join(folder, "example.db"))
}

// Invoice is what is to be paid.
type Invoice struct {
	Of    string
	Cents int
}

// Approval is what a person has decided.
type Approval struct {
	By string
	OK bool
}

// week is how long an invoice waits for its approval.
const week = 7 * 24 * time.Hour

// Pay stands in a package that web servers and workers import.
var Pay = outlast.Define[Invoice, string]("invoice.pay")

// pay is the handler of an invoice. It begins anew when the signal has come: what it did before
// is a step.
func pay(ctx context.Context, invoice Invoice) (string, error) {
	_, err := outlast.Step(ctx, "ask", func(context.Context) (outlast.None, error) {
		fmt.Printf("may %s have %d cents?\n", invoice.Of, invoice.Cents)
		return outlast.None{}, nil
	})
	if err != nil {
		return "", err
	}
	approval, err := outlast.Await[Approval](ctx, "approval", week)
	switch {
	case errors.Is(err, outlast.ErrAwaitTimeout):
		return "nobody has answered for a week", nil
	case err != nil:
		return "", err // it waits: the task runs again when the signal comes
	case !approval.OK:
		return "refused by " + approval.By, nil
	}
	return outlast.Step(ctx, "pay", func(context.Context) (string, error) {
		return fmt.Sprintf("paid, approved by %s", approval.By), nil
	})
}

// start opens a client that pays invoices, as each process does.
func start(ctx context.Context, store *sqlite.Store) (*outlast.Client, error) {
	client, err := outlast.Open(ctx, store)
	if err != nil {
		return nil, err
	}
	Pay.Handle(client, pay)
	return client, client.Start(ctx)
}

func run(file string) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the example ends
	first, err := start(ctx, store)
	if err != nil {
		return err
	}
	receipt, err := Pay.Enqueue(ctx, first, Invoice{"the carpenter", 25000})
	if err != nil {
		return err
	}
	if err := waits(ctx, first, receipt.Task.ID); err != nil {
		return err
	}
	if err := first.Stop(ctx); err != nil { // a deploy
		return err
	}

	second, err := start(ctx, store)
	if err != nil {
		return err
	}
	defer second.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends
	// A web server does this when somebody has pressed the button; others send
	// POST /v1/tasks/{id}/signals/approval.
	if err := second.Signal(ctx, receipt.Task.ID, "approval", Approval{By: "Ada", OK: true}); err != nil {
		return err
	}
	paid, err := second.Wait(ctx, receipt.Task.ID)
	if err != nil {
		return err
	}
	result, err := Pay.Result(paid)
	if err != nil {
		return err
	}
	fmt.Println(result)
	return nil
}

// waits returns once a task waits for its signal.
func waits(ctx context.Context, client *outlast.Client, id outlast.ID) error {
	for {
		steps, err := client.Inspector().Steps.Of(ctx, id)
		if err != nil {
			return err
		}
		for _, step := range steps {
			if step.Type == task.StepAwait {
				fmt.Printf("it waits for %s at most\n", step.Until.Sub(step.EndedAt).Round(time.Hour))
				return nil
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}
