package main

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast/app"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// storeForms is how store URLs look, for the help of flags.
const storeForms = "sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE"

// kind is what the program does with one kind of store.
type kind struct {
	// open opens the store of a URL, as it is or brought up to date.
	open func(ctx context.Context, url string, asItIs bool) (store.Backend, error)
	// exists refuses a store that opening would make.
	exists func(url string) error
	// writeSQL writes the SQL of all migrations. A kind without has none.
	writeSQL func(w io.Writer, url string) error
	// writeDistribution writes the SQL that distributes the tables, where that
	// can be done.
	writeDistribution func(w io.Writer, url string) error
}

// kinds are the stores that this program has drivers for, by the schemes of
// their URLs.
var kinds = map[string]kind{
	"sqlite": {
		open: func(ctx context.Context, url string, asItIs bool) (store.Backend, error) {
			path, err := sqlitePath(url)
			if err != nil {
				return nil, err
			}
			if asItIs {
				return sqlite.Open(ctx, path, sqlite.WithoutMigration())
			}
			return sqlite.Open(ctx, path)
		},
		exists: func(url string) error {
			path, err := sqlitePath(url)
			if err == nil {
				if _, statErr := os.Stat(path); statErr != nil {
					err = task.NotFound("database", path)
				}
			}
			return err
		},
		writeSQL: func(w io.Writer, _ string) error { return sqlite.PrintMigrations(w) },
	},
	"postgres":   postgresKind,
	"postgresql": postgresKind,
	"mysql":      mysqlKind,
	"mariadb":    mysqlKind,
	"memory": {
		open: func(_ context.Context, url string, _ bool) (store.Backend, error) {
			if url != "memory:" {
				return nil, usage("the store URL memory: takes no path; nothing of it is on disk")
			}
			return memory.New(), nil
		},
	},
}

// openers open the stores of this program for a server.
func openers() app.Openers {
	all := app.Openers{}
	for scheme, k := range kinds {
		all[scheme] = func(ctx context.Context, rest string) (store.Backend, error) {
			return k.open(ctx, scheme+":"+rest, false)
		}
	}
	return all
}

// schemeOf is what says of which kind a store URL is.
func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme
}

// durable finds the kind of a URL among those that have a schema.
func durable(url string) (kind, error) {
	if k, known := kinds[schemeOf(url)]; known && k.writeSQL != nil {
		return k, nil
	}
	var forms []string
	for _, scheme := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[scheme].writeSQL != nil {
			forms = append(forms, scheme)
		}
	}
	// The URL may hold a password, so it is not shown.
	return kind{}, usage("the store URL is of none of the kinds with a schema: %s", strings.Join(forms, ", "))
}

// sqlitePath takes the path out of a store URL.
func sqlitePath(url string) (string, error) {
	path, found := strings.CutPrefix(url, "sqlite:")
	if !found || path == "" {
		return "", usage("the store URL names no file; write it as sqlite:PATH")
	}
	return path, nil
}
