// Package sqlite is what the program knows of stores in a file: their URLs, how they are
// opened, and what outlast doctor looks at.
package sqlite

import (
	"context"
	"io"
	"os"
	"strings"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// Kind is a file of SQLite.
var Kind = kind.Kind{
	Schemes:  []string{"sqlite"},
	Form:     "sqlite:PATH",
	Safety:   server.OnDisk,
	Open:     open,
	Exists:   exists,
	Examine:  examine,
	Scratch:  scratch,
	WriteSQL: func(w io.Writer, _ string) error { return sqlite.PrintMigrations(w) },
}

func open(ctx context.Context, url string, asItIs bool) (store.Backend, error) {
	path, err := pathOf(url)
	if err != nil {
		return nil, err
	}
	if asItIs {
		return sqlite.Open(ctx, path, sqlite.WithoutMigration())
	}
	return sqlite.Open(ctx, path)
}

func exists(url string) error {
	path, err := pathOf(url)
	if err == nil {
		if _, statErr := os.Stat(path); statErr != nil {
			err = task.NotFound("database", path)
		}
	}
	return err
}

// pathOf takes the path out of a store URL.
func pathOf(url string) (string, error) {
	path, found := strings.CutPrefix(url, "sqlite:")
	if !found || path == "" {
		return "", cli.Usagef("the store URL names no file; write it as sqlite:PATH")
	}
	return path, nil
}
