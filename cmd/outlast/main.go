// Command outlast is the server and its command line.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program: data goes to out, everything else to messages.
func run(args []string, in io.Reader, out, messages io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := &cli.Env{In: in, Out: out, Messages: messages, RestoreSignals: stop, Lookup: os.LookupEnv, Version: version()}
	return runCommand(ctx, c, args)
}

// runCommand runs a command and returns its exit code.
func runCommand(ctx context.Context, c *cli.Env, args []string) int {
	return cli.Execute(ctx, c, newRoot(c), args)
}
