package main

import (
	"context"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast/app"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
)

// openers open the stores that this program has drivers for.
func openers() app.Openers {
	return app.Openers{
		"sqlite": func(ctx context.Context, path string) (store.Backend, error) {
			if path == "" {
				return nil, usage("the store URL names no file; write it as sqlite:PATH")
			}
			return sqlite.Open(ctx, path)
		},
		"memory": func(_ context.Context, rest string) (store.Backend, error) {
			if rest != "" {
				return nil, usage("the store URL memory: takes no path; nothing of it is on disk")
			}
			return memory.New(), nil
		},
	}
}
