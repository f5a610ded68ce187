// Command outlast is the server and its command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/config"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Exit codes, as documented in `outlast --help`.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitPartial
	exitNotFound
	exitDenied
	exitConflict
	exitUnavailable
)

// longestMessage is how much of an error is shown, in runes.
const longestMessage = 8000

// run is the program: data goes to out, everything else to messages.
func run(args []string, in io.Reader, out, messages io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := &cli{in: in, out: out, messages: messages, restoreSignals: stop, lookup: os.LookupEnv, version: version()}
	return runCommand(ctx, c, args)
}

// runCommand runs a command and returns its exit code.
func runCommand(ctx context.Context, c *cli, args []string) int {
	return execute(ctx, c, newRoot(c), args)
}

// execute runs a command below root, shows its error, and returns the exit code.
func execute(ctx context.Context, c *cli, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	code := c.exitCode(err)
	for _, line := range linesOf(err) {
		_, _ = fmt.Fprintln(c.messages, "outlast: "+short(line, longestMessage))
	}
	if code == exitUsage && !c.acted {
		_, _ = fmt.Fprintln(c.messages, "see: "+cmd.CommandPath()+" --help")
	}
	return code
}

// usageError is a command line that cannot be meant.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// linesOf are the messages of an error: one for each problem of a file, and for each
// of several errors that were joined.
func linesOf(err error) []string {
	var lines []string
	switch e := err.(type) { //nolint:errorlint // what wraps another says it in its own words
	case *config.Error:
		for _, p := range e.Problems {
			lines = append(lines, p.In(e.File))
		}
		return lines
	case interface{ Unwrap() []error }:
		var texts []string
		for _, one := range e.Unwrap() {
			texts, lines = append(texts, one.Error()), append(lines, linesOf(one)...)
		}
		if strings.Join(texts, "\n") == err.Error() {
			return lines
		}
	}
	return []string{err.Error()}
}

// usage is the error of a command line that cannot be meant.
func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// partialError says that some of the work was done.
type partialError struct{ message string }

func (e *partialError) Error() string { return e.message }

// partial is the error of a command that has done some of its work.
func partial(format string, args ...any) error { return &partialError{fmt.Sprintf(format, args...)} }

// exitCodes maps error codes to exit codes; what is absent has failed.
var exitCodes = map[task.Code]int{
	task.CodeInvalid:         exitUsage,
	task.CodeTooLarge:        exitUsage,
	task.CodeNotFound:        exitNotFound,
	task.CodeDenied:          exitDenied,
	task.CodeUnauthenticated: exitDenied,
	task.CodeRateLimited:     exitUnavailable,
	task.CodeConflict:        exitConflict,
	task.CodeManagedByFile:   exitConflict,
	task.CodeIDConflict:      exitConflict,
	task.CodeDedupeConflict:  exitConflict,
	task.CodeStaleClaim:      exitConflict,
	task.CodeNoHandler:       exitConflict,
	task.CodeUnavailable:     exitUnavailable,
	task.CodeQueueFull:       exitUnavailable,
	task.CodeDedupeBusy:      exitUnavailable,
}

func (c *cli) exitCode(err error) int {
	var wrong *usageError
	var some *partialError
	var problem *client.Error
	var known *task.Error
	var file *config.Error
	switch {
	case !c.acted, errors.As(err, &wrong), errors.As(err, &file):
		return exitUsage
	case errors.Is(err, store.ErrNoRight):
		return exitDenied
	case errors.As(err, &some):
		return exitPartial
	case errors.As(err, &problem):
		if code, ok := exitCodes[problem.Code]; ok {
			return code
		}
	case errors.As(err, &known):
		if code, ok := exitCodes[known.Code]; ok {
			return code
		}
	case errors.Is(err, context.DeadlineExceeded):
		return exitUnavailable
	}
	return exitFailed
}

// notFound reports whether an error is that there is no such thing.
func (c *cli) notFound(err error) bool { return c.exitCode(err) == exitNotFound }

// cli is what the commands share: where they read and write, and the flags that all of
// them have. The zero value has neither; what main does not set, the flags do.
type cli struct {
	in             io.Reader // standard input
	out, messages  io.Writer // data, and everything else
	restoreSignals func()    // gives the next signal back to the system: it ends the process
	lookup         func(variable string) (value string, set bool)
	version        string // of the program

	server        string // URL
	output        string // table, json or jsonl
	yes           bool   // do not ask before what cannot be undone
	tokenFile, ca string // files
	acted         bool   // the command line was understood and a command has begun
}

// say writes a message for people.
func (c *cli) say(format string, args ...any) {
	_, _ = fmt.Fprintf(c.messages, format+"\n", args...) // nobody could be told
}

// act makes the run function of a command.
func (c *cli) act(do func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if c.output != "table" && c.output != "json" && c.output != "jsonl" {
			return usage("--output is table, json or jsonl, not %s", task.Quote(c.output))
		}
		c.acted = true
		return do(cmd.Context(), args)
	}
}

// call makes the run function of a command that calls the server.
func (c *cli) call(do func(ctx context.Context, api *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return c.act(func(ctx context.Context, args []string) error {
		api, err := c.connect()
		if err != nil {
			return err
		}
		defer api.Close()
		return do(ctx, api, args)
	})
}
