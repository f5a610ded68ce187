package postgres_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/postgres"
)

// The store shares the application's pool, and makes its tables at the first start.
func ExampleOpen() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL")) // postgres://user@host:5432/database
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
	outlast.Handle(client, "mail.send", func(_ context.Context, to string) error {
		fmt.Println("mail for", to)
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	done, err := client.Run(ctx, outlast.Draft{Type: "mail.send", Payload: []byte(`"ada@example.com"`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.State)
}

// A pool of the store's own, and tables in a schema of their own.
func ExampleOpenURL() {
	ctx := context.Background()
	store, err := postgres.OpenURL(ctx, os.Getenv("DATABASE_URL"), postgres.WithSchema("jobs"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	client, err := outlast.Open(ctx, store, outlast.WithEnqueueOnly())
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)
	receipt, err := client.Enqueue(ctx, outlast.Draft{Type: "mail.send", DedupeKey: "welcome-ada"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("accepted before:", receipt.Existing)
}

func TestExamples(t *testing.T) {
	t.Setenv("DATABASE_URL", servertest.Postgres(t))
	servertest.Example(t, ExampleOpen, "mail for ada@example.com\nsucceeded\n")
	servertest.Example(t, ExampleOpenURL, "accepted before: false\n")
	servertest.Example(t, ExampleOpenURL, "accepted before: true\n")
}
