// Package bench is outlast bench: how fast a store takes and runs tasks.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/store"
)

const (
	benchQueue = "outlast.bench"
	// benchEnd is how long a bench that is over may take to clean up.
	benchEnd = 30 * time.Second
	// noRetention is for a node that must delete nothing of others.
	noRetention = 100 * 365 * 24 * time.Hour
	mostBench   = 1_000_000
)

// benchSummary is what a bench measured: tasks per second, and milliseconds.
type benchSummary struct {
	Store       string  `json:"store"`
	Tasks       int     `json:"tasks"`
	Concurrency int     `json:"concurrency"`
	Single      float64 `json:"enqueue_single_per_second"`
	Batch       float64 `json:"enqueue_batch_per_second"`
	Run         float64 `json:"run_per_second"`
	StartP50    float64 `json:"start_p50_ms"`
	StartP99    float64 `json:"start_p99_ms"`
}

func (s *benchSummary) table(w io.Writer) {
	cli.Row(w, "enqueued one by one, tasks/s", fmt.Sprintf("%.0f", s.Single))
	cli.Row(w, "enqueued in batches, tasks/s", fmt.Sprintf("%.0f", s.Batch))
	cli.Row(w, "run, tasks/s", fmt.Sprintf("%.0f", s.Run))
	cli.Row(w, "from enqueue to start, p50", fmt.Sprintf("%.2f ms", s.StartP50))
	cli.Row(w, "from enqueue to start, p99", fmt.Sprintf("%.2f ms", s.StartP99))
}

// Command makes outlast bench.
func Command(c *cli.Env) *cobra.Command {
	var url string
	summary := &benchSummary{}
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure how fast a store accepts and runs tasks", Args: cobra.NoArgs,
		Long: `Measure how fast a store accepts and runs tasks that do nothing, enqueued one by one
and in batches, and how long it takes from the enqueue call to the start of a task.

Everything runs in this process, on a temporary SQLite store or on the store of --store.
Servers may use that store meanwhile: the tasks are in a queue of their own,
` + benchQueue + `. None is left waiting at the end; ended tasks stay for their retention.`,
		Example: "  outlast bench\n  outlast bench --store postgres://outlast@localhost/outlast --tasks 50000 --yes",
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			if summary.Tasks < 100 || summary.Tasks > mostBench {
				return cli.Usagef("--tasks must be 100 to %d", mostBench)
			}
			if summary.Concurrency < 1 || summary.Concurrency > 1000 {
				return cli.Usagef("--concurrency must be 1 to 1000")
			}
			return bench(ctx, c, url, summary)
		}),
	}
	cmd.Flags().StringVar(&url, "store", "", "store to measure; default is a temporary SQLite store")
	cmd.Flags().IntVar(&summary.Tasks, "tasks", 20_000, "tasks to enqueue and run")
	cmd.Flags().IntVar(&summary.Concurrency, "concurrency", 16*runtime.GOMAXPROCS(0), "concurrent callers that enqueue, 1 to 1000")
	return cmd
}

func bench(ctx context.Context, c *cli.Env, url string, summary *benchSummary) (err error) {
	given := url != ""
	if !given {
		folder, err := os.MkdirTemp("", "outlast-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
		url, summary.Store = "sqlite:"+filepath.Join(folder, "bench.db"), "temporary SQLite"
	} else if err := mayBench(c, url, summary); err != nil {
		return err
	}
	kind, err := stores.Durable(url)
	if err != nil {
		return err
	}
	backend, err := kind.Open(ctx, url, given)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	c.Say("%d tasks, %d callers, %s", summary.Tasks, summary.Concurrency, summary.Store)
	if err := measure(ctx, backend, summary); err != nil {
		return err
	}
	return c.Show(summary, summary.table)
}

// mayBench asks whether a store that others may use may be written to.
func mayBench(c *cli.Env, url string, summary *benchSummary) error {
	kind, err := stores.Durable(url)
	if err != nil {
		return err
	}
	if err := kind.Exists(url); err != nil {
		return err
	}
	summary.Store = stores.SchemeOf(url) // the rest may hold a password
	c.Say("this writes %d tasks to the queue %s of the store and puts full load on its database", summary.Tasks+benchSamples, benchQueue)
	if !c.Yes && !cli.Terminal(c.In) {
		return cli.Usagef("the store may be in use: without a terminal, confirm with --yes")
	}
	return c.Confirm("Write them?")
}

// measure runs a node of its own, which works on the queue of the bench only and
// deletes nothing.
func measure(ctx context.Context, backend store.Backend, summary *benchSummary) (err error) {
	node, err := outlast.Open(ctx, backend, outlast.WithQueues(benchQueue), outlast.WithDeadRetention(noRetention),
		outlast.WithDoneRetention(noRetention), outlast.WithAuditRetention(noRetention))
	if err != nil {
		return err
	}
	b := newBenching(node, summary)
	if err := node.Start(ctx); err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), benchEnd)
		defer cancel()
		err = errors.Join(err, b.empty(bounded), node.Stop(bounded))
	}()
	return b.run(ctx)
}
