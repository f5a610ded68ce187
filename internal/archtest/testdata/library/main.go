// Command library is what a Go program with a durable task on PostgreSQL links at least.
package main

import (
	"context"
	"log"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/postgres"
)

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	store, err := postgres.Open(ctx, pool)
	if err != nil {
		log.Fatal(err)
	}
	client, err := outlast.Open(ctx, store)
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "greet", func(_ context.Context, name string) error {
		log.Print("hello ", name)
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := client.Enqueue(ctx, outlast.Draft{Type: "greet", Payload: []byte(`"world"`)}); err != nil {
		log.Fatal(err)
	}
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
}
