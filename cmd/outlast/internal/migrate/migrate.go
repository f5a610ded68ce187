// Package migrate is outlast migrate: the schema of a store.
package migrate

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/store"
)

// Command makes outlast migrate and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	var url string
	status := newStatus(c, &url)
	cmd := cli.Noun("migrate", "Bring the schema of a store up to date", newUp(c, &url), status, newPrint(c, &url),
		newCitus(c, &url))
	cmd.PersistentFlags().StringVar(&url, "store", app.DefaultStore, stores.Forms()+"; env OUTLAST_STORE")
	return cli.ByDefault(cmd, status)
}

type migration struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Applied bool   `json:"applied"`
}

type migrations struct {
	Migrations []migration `json:"migrations"`
}

var errNone = errors.New("this kind of store has no migrations")

// migrated opens the store as it is, works on it, and lists its migrations.
func migrated(ctx context.Context, c *cli.Env, k kind.Kind, url string, do func(store.Migrator) error) (err error) {
	backend, err := k.Open(ctx, url, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	migrator, ok := backend.(store.Migrator)
	if !ok {
		return errNone
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
	return cli.List(c, out, out.Migrations, func(w io.Writer) {
		cli.Row(w, "VERSION", "NAME", "APPLIED")
		for _, m := range out.Migrations {
			cli.Row(w, m.Version, cli.Clean(m.Name), m.Applied)
		}
	})
}
