// Command bench measures Outlast. See README.md for how to run it and how to
// read what it prints.
//
// Where to start reading: bench.go says what a bench is, system.go what it
// may ask of the system that is measured, and each bench has its own file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const help = `usage: bench run [IDS] [flags]   measure; every bench without IDS
       bench list              say what there is
       bench here [IDS] [flags]  measure B1 to B10 beside the peers with what this machine has, and write a page
       bench report            write the tables and pictures of docs/explanation/benchmarks.md from the figures in results
       bench run -h            the flags
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program. It returns the exit code: 2 for wrong arguments,
// 1 when a bench fails.
func run(ctx context.Context, args []string, out, messages io.Writer) int {
	var err error
	switch {
	case len(args) > 0 && args[0] == "run":
		err = measure(ctx, args[1:], out, messages)
	case len(args) > 0 && args[0] == "here":
		err = here(ctx, args[1:], messages)
	case len(args) > 0 && args[0] == "list":
		list(out)
	case len(args) > 0 && args[0] == "report":
		err = writeReport(args[1:], messages)
	case len(args) > 0 && args[0] == childCommand:
		err = child(ctx, args[1:], os.Stdin, out)
	default:
		fmt.Fprint(messages, help)
		return 2
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(messages, "bench:", err)
		return 2
	}
	fmt.Fprintln(messages, "bench:", err)
	return 1
}

var errUsage = errors.New("wrong arguments")

func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// config is what the flags say.
type config struct {
	ids   []string
	store address
	dir   string
	peers string
	redis string
	// programs is the folder of PostgreSQL's, "" for those that are found.
	programs string
	citus    string
	// temporal is the folder with the programs of Temporal.
	temporal string
	// out is the directory of the page of this machine.
	out     string
	profile string
	server  string
	n       int
	runs    int
	slots   int
	waiting []int
	seconds int
	json    bool
	search  bool
	fast    bool
	length  time.Duration
}

func parse(args []string, messages io.Writer) (config, error) {
	var c config
	flags := c.flags("run", messages)
	flags.StringVar(&c.profile, "profile", "", "write pprof files of the measured stretches into this directory, and what PostgreSQL spent on each statement")
	flags.StringVar(&c.server, "server", "", "an outlast program for the benches over HTTP; built when empty")
	flags.StringVar(&c.citus, "citus", "", "the coordinator of B16, postgres://user@host:port/database, with workers; every turn makes and drops a schema of its own")
	flags.StringVar(&c.temporal, "temporal", "", "folder with the programs server and sql of Temporal, for --peers temporal; see README.md")
	flags.DurationVar(&c.length, "length", 0, "length of B9 and B9x; 0 for each bench's own")
	flags.BoolVar(&c.json, "json", false, "one JSON line per figure instead of the table")
	err := c.read(flags, args)
	return c, err
}

// flags are those of every way to measure.
func (c *config) flags(name string, messages io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(messages)
	flags.Func("store", "where Outlast and River keep tasks: postgres://user@host:port/database (the user may create databases), postgres: or mysql: for a server that is started, or memory: (nothing on disk; only to tell engine from store); benches of files stay with files", func(text string) error {
		c.store = address(text)
		return nil
	})
	flags.StringVar(&c.dir, "dir", os.TempDir(), "where temporary directories are made; choose a real disk")
	flags.StringVar(&c.peers, "peers", strings.Join(peerNames(), ","), "systems to measure beside, where they can; none for Outlast alone")
	flags.StringVar(&c.redis, "redis", "", "address of the Redis of Asynq; one of its databases 1 to 15 must be empty; one is started when empty")
	flags.BoolVar(&c.fast, "fast", false, "the servers that are started sync nothing: only to see that the benches work")
	flags.BoolVar(&c.search, "search", true, "search the best settings of peers first; without, those that were best before are taken")
	flags.StringVar(&c.programs, "postgres-bin", "", "folder with the programs of the PostgreSQL that is started, such as pg_config --bindir prints; the newest that is found when empty")
	flags.IntVar(&c.n, "n", 0, "tasks of the benches that count them; 0 for each bench's own")
	flags.IntVar(&c.runs, "runs", 3, "repetitions; the value is their median")
	flags.IntVar(&c.slots, "slots", 0, "attempts at once; 0 for each bench's own")
	flags.Func("waiting", "tasks that wait for tomorrow in B8 and B8s, such as 1000000,10000000; the default is each bench's own", c.readWaiting)
	flags.IntVar(&c.seconds, "seconds", 10, "length of the benches that measure at a steady rate, after one second of warm-up")
	return flags
}

// read parses and checks them.
func (c *config) read(flags *flag.FlagSet, args []string) error {
	for { // ids may stand before and between flags
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return err
			}
			return fmt.Errorf("%w: %w", errUsage, err)
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		c.ids, args = append(c.ids, args[0]), args[1:]
	}
	if c.runs < 1 || c.n < 0 || c.slots < 0 || c.seconds < 1 {
		return usage("--runs and --seconds are at least 1, --n and --slots at least 0")
	}
	for _, name := range strings.Split(c.peers, ",") {
		if name != "none" && !slices.Contains(peerNames(), name) {
			return usage("--peers %s: there are %s, or none", c.peers, strings.Join(peerNames(), ", "))
		}
	}
	if c.programs != "" && c.store != "" && !c.store.own() {
		return usage("--postgres-bin is of the PostgreSQL that is started: leave out --store")
	}
	return c.store.check()
}

func (c *config) readWaiting(text string) error {
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of tasks", part)
		}
		c.waiting = append(c.waiting, n)
	}
	return nil
}
