// Command conformance says which rules of the protocol for workers a program breaks. It plays
// the server, and the faults of one: it starts the program for each scenario anew.
//
//	go run github.com/outlast-dev/outlast/clients/conformance -- python3 worker.py
//
// What the program has to do is in docs/how-to/write-a-worker.md.
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
	"sync"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast/task"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitBroken = 1
	exitUsage  = 2
)

// kit is how scenarios are played.
type kit struct {
	program  []string
	rules    []string // to judge, all if empty
	patience time.Duration
	parallel int
}

func run(ctx context.Context, args []string, out, log io.Writer) int {
	k := &kit{}
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.Usage = func() {
		fmt.Fprintln(log, "usage: conformance [flags] -- PROGRAM [ARGUMENT...]")
		flags.PrintDefaults()
	}
	flags.Func("rule", "judge this rule only; may be repeated", func(id string) error {
		if _, known := ruleOf(id); !known {
			return task.Invalid("rule", "there is no rule "+task.Quote(id), "--list lists them")
		}
		k.rules = append(k.rules, id)
		return nil
	})
	flags.DurationVar(&k.patience, "patience", 30*time.Second, "how long to wait for what a good worker does")
	flags.IntVar(&k.parallel, "parallel", 12, "processes at once")
	strict := flags.Bool("strict", false, "count advice that is not followed, and rules that were not tried, as broken too")
	asJSON := flags.Bool("json", false, "write JSON")
	list := flags.Bool("list", false, "list the rules and start nothing")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return exitUsage
	}
	k.program = flags.Args()
	if *list {
		report(out, newFindings().list(k.rules), *asJSON, true)
		return 0
	}
	if len(k.program) == 0 || k.parallel < 1 || k.patience <= 0 {
		flags.Usage()
		return exitUsage
	}
	found, err := k.play(ctx)
	if err != nil {
		fmt.Fprintln(log, "conformance:", err)
		return exitUsage
	}
	listed := found.list(k.rules)
	report(out, listed, *asJSON, false)
	if !slices.ContainsFunc(listed, func(f finding) bool { return f.Must && f.Verdict == broken || *strict && f.Verdict != ok }) {
		return 0
	}
	if found.output != "" && !*asJSON {
		fmt.Fprintf(log, "\nThe program wrote at the end:\n%s\n", found.output)
	}
	return exitBroken
}

// play plays the scenarios, several at a time.
func (k *kit) play(ctx context.Context) (*findings, error) {
	var (
		mu     sync.Mutex
		all    = newFindings()
		names  = map[string]bool{}
		failed error
		places = make(chan struct{}, k.parallel)
		wg     sync.WaitGroup
	)
	for _, sc := range scenarios {
		if !k.wants(sc) {
			continue
		}
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			found, err := sc.perform(ctx, k.program, k.patience)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
				return
			}
			all.add(found, sc.name)
			if names[found.worker] && found.worker != "" {
				all.fail("own-name", "two processes are named "+found.worker)
			}
			names[found.worker] = true
			if found.output != "" {
				all.output = found.output
			}
		})
	}
	wg.Wait()
	return all, failed
}

func (k *kit) wants(sc *scenario) bool {
	if len(k.rules) == 0 {
		return true
	}
	return slices.ContainsFunc(k.rules, func(id string) bool { return slices.Contains(sc.rules, id) || slices.Contains(always, id) })
}
