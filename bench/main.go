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
	"strings"
	"syscall"
)

const help = `usage: bench run [IDS] [flags]   measure; every bench without IDS
       bench list              say what there is
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
	case len(args) > 0 && args[0] == "list":
		list(out)
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
	ids     []string
	store   string
	dir     string
	peers   string
	redis   string
	profile string
	server  string
	doc     string
	n       int
	runs    int
	slots   int
	waiting int
	seconds int
	json    bool
}

func parse(args []string, messages io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(messages)
	flags.StringVar(&c.store, "store", "sqlite:", "sqlite: (a file in a temporary directory) or memory: (nothing on disk; only to tell engine from store)")
	flags.StringVar(&c.dir, "dir", os.TempDir(), "where temporary directories are made; choose a real disk")
	flags.StringVar(&c.peers, "peers", "", "other systems to measure beside; there are none yet")
	flags.StringVar(&c.redis, "redis", "", "address of the Redis of such systems")
	flags.StringVar(&c.profile, "profile", "", "write pprof files of the measured stretches into this directory")
	flags.StringVar(&c.server, "server", "", "an outlast program for the benches over HTTP; built when empty")
	flags.IntVar(&c.n, "n", 0, "tasks of the benches that count them; 0 for each bench's own")
	flags.IntVar(&c.runs, "runs", 3, "repetitions; the value is their median")
	flags.IntVar(&c.slots, "slots", 0, "attempts at once; 0 for each bench's own")
	flags.IntVar(&c.waiting, "waiting", 1_000_000, "tasks that wait for tomorrow in B8s")
	flags.IntVar(&c.seconds, "seconds", 10, "length of the benches that measure at a steady rate, after one second of warm-up")
	flags.StringVar(&c.doc, "doc", "", "also put the tables of B11, B12 and B15 into this document, between their marks")
	flags.BoolVar(&c.json, "json", false, "one JSON line per figure instead of the table")
	for { // ids may stand before and between flags
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return c, err
			}
			return c, fmt.Errorf("%w: %w", errUsage, err)
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		c.ids, args = append(c.ids, args[0]), args[1:]
	}
	if c.runs < 1 || c.n < 0 || c.slots < 0 || c.seconds < 1 || c.waiting < 1 {
		return c, usage("--runs, --seconds and --waiting are at least 1, --n and --slots at least 0")
	}
	if strings.Trim(c.peers, ", ") != "" {
		return c, usage("there are no peers yet: --peers %s", c.peers)
	}
	return c, checkStore(c.store)
}
