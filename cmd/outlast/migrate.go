package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/app"
	"github.com/outlast-dev/outlast/store"
)

func newMigrate(c *cli) *cobra.Command {
	var url string
	status := newMigrateStatus(c, &url)
	cmd := noun("migrate", "Bring the schema of a store up to date", newMigrateUp(c, &url), status, newMigratePrint(c, &url),
		newMigrateCitus(c, &url))
	cmd.PersistentFlags().StringVar(&url, "store", app.DefaultStore, storeForms+"; env OUTLAST_STORE")
	return byDefault(cmd, status)
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
func (c *cli) migrated(ctx context.Context, k kind, url string, do func(store.Migrator) error) (err error) {
	backend, err := k.open(ctx, url, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	migrator, ok := backend.(store.Migrator)
	if !ok {
		return errors.New("this kind of store has no migrations")
	}
	if err := do(migrator); err != nil {
		return err
	}
	all, err := migrator.Migrations(ctx)
	if err != nil {
		return err
	}
	out := migrations{Migrations: make([]migration, len(all))}
	for i, m := range all {
		out.Migrations[i] = migration(m)
	}
	return list(c, out, out.Migrations, func(w io.Writer) {
		row(w, "VERSION", "NAME", "APPLIED")
		for _, m := range out.Migrations {
			row(w, m.Version, clean(m.Name), m.Applied)
		}
	})
}
