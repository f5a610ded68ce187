package configs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/settings"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/inspector"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// adoptable is an object that nobody vouches for, as config adopt shows it.
type adoptable struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version int64  `json:"version"`
	Actor   string `json:"actor"`
	Problem string `json:"problem"`
	Says    string `json:"says"`
}

// adopted is what config adopt says.
type adopted struct {
	Found   []adoptable `json:"found"`
	Adopted int         `json:"adopted"`
}

func newAdopt(c *cli.Env) *cobra.Command {
	var url string
	var dryRun bool
	f := &settings.KeyPlaces{}
	cmd := &cobra.Command{
		Use: "adopt", Short: "Authenticate configuration that is already in the database", Args: cobra.NoArgs,
		Long: `Show the policies, channels, tokens and other configuration in the database that the
encryption key does not authenticate, and adopt them after you confirm.

With encryption on, servers ignore such configuration: it was stored before encryption
was turned on, or somebody wrote it directly into the database. So read the list before
you confirm. Each entry becomes a new, authenticated version, with a row in the audit
log. Run the command where the keys are. It works on the store itself, also while
servers use it.`,
		Example: "  outlast config adopt --store sqlite:outlast.db --encryption-key-file k1=/etc/outlast/k1 --dry-run\n  outlast config adopt --config outlast.yaml --yes",
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			node, done, err := nodeOn(ctx, c, url, f)
			if err != nil {
				return err
			}
			return errors.Join(adopt(ctx, c, node.Inspector(), dryRun), done())
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&url, "store", "", "store to work on: "+stores.Forms()+"; default is the store of the configuration file")
	flags.BoolVar(&dryRun, "dry-run", false, "only show the list")
	f.Add(flags)
	return cmd
}

// nodeOn is a node that does nothing by itself, on a store with its keys.
func nodeOn(ctx context.Context, c *cli.Env, url string, f *settings.KeyPlaces) (*outlast.Client, func() error, error) {
	file, err := f.Read()
	if err != nil {
		return nil, nil, err
	}
	if url == "" && f.Config != "" {
		url = file.Store.URL
	}
	if url == "" {
		return nil, nil, cli.Usagef("name the store with --store, or a file that names it with --config")
	}
	k, err := stores.Durable(url)
	if err == nil {
		err = k.Exists(url)
	}
	if err != nil {
		return nil, nil, err
	}
	keys, err := settings.ReadKeys(&file.Encryption)
	if err != nil {
		return nil, nil, err
	}
	if len(keys.Secrets) == 0 {
		return nil, nil, cli.Usagef("name the encryption key that authenticates: --encryption-key-file NAME=PATH, or --config")
	}
	backend, err := k.Open(ctx, url, true)
	if err != nil {
		return nil, nil, err
	}
	node, err := outlast.Open(ctx, backend, outlast.WithEnqueueOnly(), outlast.WithEncryption(keys))
	if err != nil {
		return nil, nil, errors.Join(err, backend.Close())
	}
	return node, backend.Close, nil
}

func adopt(ctx context.Context, c *cli.Env, inspector *inspect.Inspector, dryRun bool) error {
	objects, err := inspector.Store.Unproven(ctx)
	if err != nil {
		return err
	}
	out := adopted{Found: []adoptable{}}
	for i := range objects {
		out.Found = append(out.Found, shownObject(&objects[i]))
	}
	show := func() error {
		return cli.List(c, out, out.Found, func(w io.Writer) {
			cli.Row(w, "KIND", "NAME", "VERSION", "BY", "PROBLEM", "SAYS")
			for _, one := range out.Found {
				cli.Row(w, cli.Clean(one.Kind), cli.Clean(one.Name), fmt.Sprint(one.Version), cli.Clean(one.Actor), cli.Clean(one.Problem), cli.Clean(one.Says))
			}
		})
	}
	if dryRun || len(objects) == 0 {
		if len(objects) == 0 {
			c.Say("all configuration in the database is authenticated")
		}
		return show()
	}
	if c.Output == "table" {
		if err := show(); err != nil {
			return err
		}
	}
	if err := c.Confirm(fmt.Sprintf("Adopt %s?", cli.Plural(len(objects), "object"))); err != nil {
		return err
	}
	out.Adopted, err = inspector.Store.Adopt(ctx, objects, "cli")
	if errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		return fmt.Errorf("%d of %d were adopted, then one had changed; run the command again: %w", out.Adopted, len(objects), err)
	}
	if err != nil {
		return err
	}
	if c.Output == "table" {
		c.Say("%s adopted", cli.Plural(out.Adopted, "object"))
		return nil
	}
	return show()
}

// shownObject shows what an object says; of a token, that it has a secret and not its
// hash.
func shownObject(o *store.Object) adoptable {
	return adoptable{o.Kind, o.Name, o.Version, o.Actor, o.Doubt.Error(), inspector.Says(o)}
}
