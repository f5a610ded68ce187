// Package stores opens the stores that the program has drivers for, by their URLs.
package stores

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// Forms is how store URLs look, for the help of flags.
const Forms = "sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE"

// Kind is what the program does with one kind of store.
type Kind struct {
	// Open opens the store of a URL, as it is or brought up to date.
	Open func(ctx context.Context, url string, asItIs bool) (store.Backend, error)
	// Exists refuses a store that opening would make.
	Exists func(url string) error
	// WriteSQL writes the SQL of all migrations. A kind without has none.
	WriteSQL func(w io.Writer, url string) error
	// WriteDistribution writes the SQL that distributes the tables, where that
	// can be done.
	WriteDistribution func(w io.Writer, url string) error
}

// kinds are the stores that this program has drivers for, by the schemes of
// their URLs.
var kinds = map[string]Kind{
	"sqlite": {
		Open: func(ctx context.Context, url string, asItIs bool) (store.Backend, error) {
			path, err := SQLitePath(url)
			if err != nil {
				return nil, err
			}
			if asItIs {
				return sqlite.Open(ctx, path, sqlite.WithoutMigration())
			}
			return sqlite.Open(ctx, path)
		},
		Exists: func(url string) error {
			path, err := SQLitePath(url)
			if err == nil {
				if _, statErr := os.Stat(path); statErr != nil {
					err = task.NotFound("database", path)
				}
			}
			return err
		},
		WriteSQL: func(w io.Writer, _ string) error { return sqlite.PrintMigrations(w) },
	},
	"postgres":   postgresKind,
	"postgresql": postgresKind,
	"mysql":      mysqlKind,
	"mariadb":    mysqlKind,
	"memory": {
		Open: func(_ context.Context, url string, _ bool) (store.Backend, error) {
			if url != "memory:" {
				return nil, cli.Usagef("the store URL memory: takes no path; nothing of it is on disk")
			}
			return memory.New(), nil
		},
	},
}

// Openers open the stores of this program for a server.
func Openers() app.Openers {
	all := app.Openers{}
	for scheme, k := range kinds {
		all[scheme] = func(ctx context.Context, rest string) (store.Backend, error) {
			return k.Open(ctx, scheme+":"+rest, false)
		}
	}
	return all
}

// SchemeOf is what says of which kind a store URL is.
func SchemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme
}

// Durable finds the kind of a URL among those that have a schema.
func Durable(url string) (Kind, error) {
	if k, known := kinds[SchemeOf(url)]; known && k.WriteSQL != nil {
		return k, nil
	}
	var forms []string
	for _, scheme := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[scheme].WriteSQL != nil {
			forms = append(forms, scheme)
		}
	}
	// The URL may hold a password, so it is not shown.
	return Kind{}, cli.Usagef("the store URL is of none of the kinds with a schema: %s", strings.Join(forms, ", "))
}

// SQLitePath takes the path out of a store URL.
func SQLitePath(url string) (string, error) {
	path, found := strings.CutPrefix(url, "sqlite:")
	if !found || path == "" {
		return "", cli.Usagef("the store URL names no file; write it as sqlite:PATH")
	}
	return path, nil
}
