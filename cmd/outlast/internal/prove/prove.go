// Package prove is outlast prove: what Outlast promises, under faults, on the user's own
// database server.
package prove

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// makeWithin is what making a scratch place may take, and dropping it.
const makeWithin = time.Minute

// options are what a run is made of.
type options struct {
	store string
	For   time.Duration
	Rate  int // tasks a second
	Nodes int
	Seed  uint64
	html  string
	clean bool
}

// Command makes outlast prove.
func Command(c *cli.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use: "prove", Short: "Prove on your own database that no task is lost under faults", Args: cobra.NoArgs,
		Long: `Run tasks for about a minute while nodes are killed (kill -9), stopped, halted and cut
off from the database. Then report which tasks were accepted, lost or repeated and why,
whether keys kept their order, how late tasks started, and the throughput.
docs/how-to/prove.md explains the report.

Everything happens in a scratch place that is dropped at the end, also after Ctrl-C: a
separate schema on PostgreSQL, a separate database on MySQL and MariaDB, and a folder
next to the file on SQLite, with one node and no network to cut. Nothing else is touched,
but the database server is under load. Without --store, it is a temporary SQLite store.

A run that is itself killed leaves its place behind. The next run names it, and --clean
drops it.

Exit codes: 0 all promises were kept; 1 a promise was broken; 3 interrupted, or all were
kept but something failed at the end, such as dropping the place; any other: the run
could not finish.`,
		Example: `  outlast prove
  outlast prove --store postgres://outlast@localhost/outlast --html report.html
  outlast prove --store postgres://outlast@localhost/outlast --clean`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return prove(ctx, c, o)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.store, "store", "", "store to test: "+stores.Forms())
	flags.DurationVar(&o.For, "for", time.Minute, "how long to cause faults; each kind occurs at least once, which takes half a minute")
	flags.IntVar(&o.Rate, "rate", 50, "tasks per second, 1 to 1000")
	flags.IntVar(&o.Nodes, "nodes", 3, "number of nodes, 2 to 9; always one on SQLite")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed for the plan of faults and tasks; 0 for a random one")
	flags.StringVar(&o.html, "html", "", "also write the report with a timeline to this HTML file")
	flags.BoolVar(&o.clean, "clean", false, "only drop what killed runs have left behind")
	cmd.AddCommand(nodeCommand(c))
	return cmd
}

func (o *options) check() error {
	switch {
	case o.For <= 0:
		return cli.Usagef("--for must be more than 0")
	case o.Rate < 1 || o.Rate > 1000:
		return cli.Usagef("--rate must be 1 to 1000")
	case o.Nodes < 2 || o.Nodes > 9:
		return cli.Usagef("--nodes must be 2 to 9")
	}
	if o.html != "" {
		if err := writable(o.html); err != nil {
			return cli.Usagef("--html: %v", err)
		}
	}
	if o.store == "" {
		o.store = "sqlite:" + filepath.Join(os.TempDir(), "prove.db")
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64N(1 << 32) //nolint:gosec // a plan, no secret
	}
	return nil
}

// writable reports why a file could not be written, and leaves none.
func writable(name string) error {
	_, absent := os.Stat(name)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644) //nolint:gosec // a report for everybody to see
	if err != nil {
		return err
	}
	err = file.Close()
	if absent != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func prove(ctx context.Context, c *cli.Env, o *options) error {
	known, err := stores.Durable(o.store)
	if err != nil {
		return err
	}
	place, err := known.Scratch(ctx, o.store)
	if err != nil {
		return err
	}
	defer place.Close()
	left, err := place.Left(ctx)
	if err != nil {
		return couldNot(ctx, err)
	}
	if o.clean {
		return clean(ctx, c, place, left)
	}
	for _, name := range left {
		c.Say("a run that was killed has left %s behind; --clean drops it", place.What(name))
	}
	name := kind.NewScratch()
	if _, server := place.Server(); server == "" {
		o.Nodes = 1
		c.Say("SQLite: one node, and no connections to cut")
	}
	c.Say("this creates %s, runs %d tasks per second there with %s for about %s, and drops it; nothing else is touched",
		place.What(name), o.Rate, cli.Plural(o.Nodes, "node"), o.For)
	c.Say("seed %d", o.Seed)
	if err := c.Ask("Continue?"); err != nil {
		return err
	}
	t := &trial{Env: c, history: newHistory(), options: o, names: map[string]string{}}
	return t.inScratch(ctx, place, name)
}

// inScratch runs in a place that is there for as long, and tells the verdict before the
// place is dropped. Making it is not cut off in the middle: nobody would know what is there.
func (t *trial) inScratch(ctx context.Context, place kind.Scratch, name string) (err error) {
	defer context.AfterFunc(ctx, t.RestoreSignals)() // a second signal ends it at once
	making, cancel := context.WithTimeout(context.WithoutCancel(ctx), makeWithin)
	t.store, err = place.Make(making, name)
	cancel()
	if errors.Is(err, store.ErrNoRight) {
		return err
	}
	defer func() {
		left := t.drop(ctx, place, name)
		if err == nil && left != nil {
			left = cli.Partialf("%v", left)
		}
		err = errors.Join(err, left)
	}()
	if err == nil {
		err = t.run(ctx, place.Server)
	}
	if !t.whole {
		return couldNot(ctx, err)
	}
	return t.tell(stores.SchemeOf(t.options.store), err)
}

// drop drops the place, and says so to who has interrupted the run. Its error is about what
// is left behind, and decides no exit code.
func (t *trial) drop(ctx context.Context, place kind.Scratch, name string) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), makeWithin)
	defer cancel()
	if err := place.Drop(bounded, name); err != nil {
		return errors.New(place.What(name) + " is left behind, --clean drops it: " + err.Error())
	}
	if ctx.Err() != nil {
		t.Say("%s is dropped", place.What(name))
	}
	return nil
}

// couldNot tells that a run came to no verdict from one that was broken.
func couldNot(ctx context.Context, err error) error {
	var typed *task.Error
	switch {
	case ctx.Err() != nil:
		return cli.Partialf("interrupted: no verdict")
	case errors.As(err, &typed), errors.Is(err, store.ErrNoRight):
		return err
	}
	return &task.Error{Code: task.CodeUnavailable, Message: "the run could not finish: " + err.Error(), Err: err}
}

// clean drops what killed runs have left behind.
func clean(ctx context.Context, c *cli.Env, place kind.Scratch, left []string) error {
	if len(left) == 0 {
		c.Say("nothing is left behind")
		return nil
	}
	for _, name := range left {
		c.Say("this drops %s and everything in it", place.What(name))
	}
	if err := c.Confirm("Drop?"); err != nil {
		return err
	}
	for _, name := range left {
		now, err := place.Left(ctx) // the answer may have taken its time
		if err == nil && !slices.Contains(now, name) {
			c.Say("%s is dropped", place.What(name))
			continue
		}
		if err == nil {
			err = place.Drop(ctx, name)
		}
		if err != nil {
			return &task.Error{Code: task.CodeUnavailable, Message: place.What(name) + " could not be dropped: " + err.Error(), Err: err}
		}
	}
	return nil
}
