package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/app"
	"github.com/outlast-dev/outlast/store/sqlite"
)

func newMigrate(c *cli) *cobra.Command {
	var url string
	cmd := noun("migrate", "Bring the schema of a store up to date", newMigrateUp(c, &url), newMigrateStatus(c, &url), newMigratePrint(c, &url))
	cmd.PersistentFlags().StringVar(&url, "store", app.DefaultStore, "sqlite:PATH; env OUTLAST_STORE")
	return cmd
}

// sqlitePath takes the path out of a store URL.
func sqlitePath(url string) (string, error) {
	path, found := strings.CutPrefix(url, "sqlite:")
	if !found || path == "" {
		return "", usage("migrations are for sqlite:PATH; other stores come with later releases")
	}
	return path, nil
}

type migration struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Applied bool   `json:"applied"`
}

type migrations struct {
	Migrations []migration `json:"migrations"`
}

// migrated opens the store as it is, works on it, and lists its migrations.
func (c *cli) migrated(ctx context.Context, url string, do func(*sqlite.Store) error) (err error) {
	path, err := sqlitePath(url)
	if err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, path, sqlite.WithoutMigration())
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := s.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := do(s); err != nil {
		return err
	}
	all, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	out := migrations{Migrations: make([]migration, len(all))}
	for i, m := range all {
		out.Migrations[i] = migration{m.Version, m.Name, m.Applied}
	}
	return list(c, out, out.Migrations, func(w io.Writer) {
		row(w, "VERSION", "NAME", "APPLIED")
		for _, m := range out.Migrations {
			row(w, m.Version, clean(m.Name), m.Applied)
		}
	})
}
