package postgres_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/postgres"
)

// An order and its confirmation are accepted together, and the mail is counted
// exactly once.
func Example_transaction() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	store, err := postgres.Open(ctx, pool)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	client, err := outlast.Open(ctx, store)
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "order.confirm", func(ctx context.Context, number string) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "UPDATE orders SET confirmations = confirmations + 1 WHERE number = $1", number); err != nil {
				return err
			}
			return outlast.CompleteIn(ctx, tx, nil)
		})
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	var receipts []outlast.Receipt
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO orders (number) VALUES ('A-17')"); err != nil {
			return err
		}
		receipts, err = client.EnqueueIn(ctx, tx, outlast.Draft{Type: "order.confirm", Payload: []byte(`"A-17"`)})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	client.Committed(receipts...) // so that it starts now
	done, err := client.Wait(ctx, receipts[0].Task.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.State)
}

func TestExampleOfATransaction(t *testing.T) {
	url := servertest.Postgres(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), "CREATE TABLE orders (number text PRIMARY KEY, confirmations int NOT NULL DEFAULT 0)"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DATABASE_URL", url)
	servertest.Example(t, Example_transaction, "succeeded\n")
	var confirmations int
	if err := conn.QueryRow(t.Context(), "SELECT confirmations FROM orders WHERE number = 'A-17'").Scan(&confirmations); err != nil || confirmations != 1 {
		t.Errorf("confirmed %d times: %v", confirmations, err)
	}
}
