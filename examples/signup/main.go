// Command signup enqueues a task in the caller's own transaction: the welcome
// mail exists exactly if the account does. One sign-up commits, one rolls back.
package main

import (
	"context"
	"database/sql"
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
	folder, err := os.MkdirTemp("", "outlast-signup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the example ends
	return run(filepath.Join(folder, "example.db"))
}

// Account is what a welcome mail is about.
type Account struct{ Name string }

var welcome = outlast.Define[Account, outlast.None]("welcome")

func run(file string) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, file) // Outlast's tables and ours share the file
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the example ends
	db, err := sql.Open("sqlite3", "file:"+file+"?_txlock=immediate")
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the example ends
	if _, err := db.Exec(`CREATE TABLE account (name TEXT PRIMARY KEY)`); err != nil {
		return err
	}

	client, err := outlast.Open(ctx, store)
	if err != nil {
		return err
	}
	welcome.Handle(client, outlast.NoResult(func(_ context.Context, a Account) error {
		fmt.Printf("welcome, %s\n", a.Name)
		return nil
	}))
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends

	for _, name := range []string{"ada", "bob"} {
		id, err := signUp(ctx, client, db, name)
		if err != nil {
			fmt.Println(name+":", err)
		}
		if err := tell(ctx, client, db, name, id); err != nil {
			return err
		}
	}
	return nil
}

var errCard = errors.New("the card was refused, the transaction is rolled back")

// signUp inserts the account and enqueues the mail in one transaction.
func signUp(ctx context.Context, client *outlast.Client, db *sql.DB, name string) (outlast.ID, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return outlast.ID{}, err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`INSERT INTO account (name) VALUES (?)`, name); err != nil {
		return outlast.ID{}, err
	}
	call, err := welcome.EnqueueTx(ctx, client, tx, Account{Name: name})
	if err != nil {
		return outlast.ID{}, err
	}
	if name == "bob" {
		return call.Task.ID, errCard
	}
	return call.Task.ID, tx.Commit()
}

// tell prints whether the account and the task exist.
func tell(ctx context.Context, client *outlast.Client, db *sql.DB, name string, id outlast.ID) error {
	var rows int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM account WHERE name = ?`, name).Scan(&rows); err != nil {
		return err
	}
	t, err := client.Wait(ctx, id)
	switch {
	case errors.Is(err, &outlast.Error{Code: task.CodeNotFound}):
		fmt.Printf("%s: %d account, no task\n", name, rows)
	case err != nil:
		return err
	default:
		fmt.Printf("%s: %d account, task %s\n", name, rows, t.State)
	}
	return nil
}
