// Command openapi prints the document of the HTTP API of this checkout, for what is
// generated from it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store/memory"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		return err
	}
	api, err := server.New(server.Config{Client: client, Version: "0"})
	if err != nil {
		return err
	}
	document, err := api.Document()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(document)
	return err
}
