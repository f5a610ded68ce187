package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

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

// Execute runs a command below root, shows its error, and returns the exit code.
func Execute(ctx context.Context, c *Env, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	code := c.exitCode(err)
	if c.logsJSON(cmd, args) {
		c.ReportJSON()
	}
	for _, line := range linesOf(err) {
		if line = Short(line, longestMessage); c.report != nil {
			c.report(line)
		} else {
			c.Say("outlast: %s", line)
		}
	}
	if code == exitUsage && !c.acted && c.report == nil {
		c.Say("see: %s --help", cmd.CommandPath())
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

// Usagef is the error of a command line that cannot be meant.
func Usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// partialError says that some of the work was done.
type partialError struct{ message string }

func (e *partialError) Error() string { return e.message }

// Partialf is the error of a command that has done some of its work.
func Partialf(format string, args ...any) error { return &partialError{fmt.Sprintf(format, args...)} }

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

func (c *Env) exitCode(err error) int {
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

// NotFound reports whether an error is that there is no such thing.
func (c *Env) NotFound(err error) bool { return c.exitCode(err) == exitNotFound }
