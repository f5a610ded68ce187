// Command batch writes ten thousand invoices, each by a task of its own, and one report when
// the last of them has ended, whatever became of it. The program may be killed and started
// again at any point: nothing is enqueued twice, and the report comes once.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

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
	folder, err := os.MkdirTemp("", "outlast-batch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the example ends
	return run(filepath.Join(folder, "example.db"))
}

// These stand in a package that web servers and workers import.
var (
	Invoice = outlast.Define[int, outlast.None]("invoice.write")
	Report  = outlast.Define[task.GroupEnded, outlast.None]("invoice.report")
)

const customers = 10_000

// march names the group. A program that keeps the id of a batch, here in its code, may be
// started again.
var march = outlast.ID{0x01, 0x8d, 0xf7, 0, 0, 0, 0x70, 0, 0x80}

// send enqueues an invoice for each customer as members of a group, and closes it.
func send(ctx context.Context, client *outlast.Client) error {
	group, err := outlast.NewGroup(ctx, client, task.Group{ID: march, Label: "invoices of March"}, Report)
	if err != nil {
		return err
	}
	drafts := make([]outlast.Draft, customers)
	for customer := range drafts {
		if drafts[customer], err = Invoice.Draft(customer); err != nil {
			return err
		}
		drafts[customer].ID = group.Member(fmt.Sprint("customer ", customer))
	}
	if _, err := group.Enqueue(ctx, drafts...); err != nil {
		return err
	}
	return group.Close(ctx)
}

// write is the handler of an invoice.
func write(_ context.Context, customer int) error {
	if customer%1000 == 7 {
		return outlast.GiveUp(errors.New("the customer has no address"))
	}
	return nil
}

func run(file string) error {
	ctx := context.Background()
	backend, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer backend.Close() //nolint:errcheck // the example ends
	client, err := outlast.Open(ctx, backend)
	if err != nil {
		return err
	}
	reported := make(chan task.GroupEnded, 1)
	Invoice.Handle(client, outlast.NoResult(write))
	Report.Handle(client, outlast.NoResult(func(_ context.Context, ended task.GroupEnded) error {
		reported <- ended
		return nil
	}))
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(ctx) //nolint:errcheck // the example ends
	if err := send(ctx, client); err != nil {
		return err
	}
	ended := <-reported
	fmt.Printf("%s: %d of %d succeeded, %d died\n", ended.Label, ended.Succeeded, ended.Members, ended.Dead)
	return nil
}
