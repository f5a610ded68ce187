// Command openapi prints the document of the HTTP API of this checkout, for what is
// generated from it; with -older the view in OpenAPI 3.0.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store/memory"
)

func main() {
	older := flag.Bool("older", false, "in OpenAPI 3.0")
	flag.Parse()
	if err := run(context.Background(), *older); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, older bool) error {
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		return err
	}
	api, err := server.New(server.Config{Client: client, Version: "0"})
	if err != nil {
		return err
	}
	text := api.Document
	if older {
		text = api.OlderDocument
	}
	document, err := text()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(document)
	return err
}
