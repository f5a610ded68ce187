// Package kind says what the program knows of one kind of store.
package kind

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Kind is what the program does with one kind of store. What is nil cannot be done, or
// need not be.
type Kind struct {
	// Schemes are those of its URLs, Form is how they look.
	Schemes []string
	Form    string
	// Safety is what an acknowledged task survives there.
	Safety server.Safety
	// Open opens the store of a URL, as it is or brought up to date.
	Open func(ctx context.Context, url string, asItIs bool) (store.Backend, error)
	// Exists refuses a store that opening would make. A kind without makes none.
	Exists func(url string) error
	// Examine looks at what the store is on, before it is opened. When it reports
	// false, the store cannot be opened, and the report says why. Without it nothing
	// is kept beyond the process.
	Examine func(ctx context.Context, r *report.Report, url string) (proceed bool, err error)
	// Scratch makes places for stores that come and go.
	Scratch func(ctx context.Context, url string) (Scratch, error)
	// WriteSQL writes the SQL of all migrations.
	WriteSQL func(w io.Writer, url string) error
	// WriteDistribution writes the SQL that distributes the tables.
	WriteDistribution func(w io.Writer, url string) error
}

// Unavailable says what is wrong with a server, which it names unless the error
// does.
func Unavailable(address interface{ String() string }, err error) error {
	var typed *task.Error
	if !errors.As(err, &typed) {
		typed = &task.Error{Code: task.CodeUnavailable, Message: cli.Short(OneLine(err.Error()), longestReason),
			Hint: "check that it runs, that it can be reached from here, and the port in the store URL", Err: err}
	}
	if len(typed.Fields) > 0 { // about the URL or the pool
		return typed
	}
	named, name := *typed, address.String()
	if where, _, _ := strings.Cut(name, "/"); !strings.Contains(named.Message, where) {
		named.Message = name + ": " + named.Message
	}
	return &named
}

// longestReason is how much is told of an error that is not ours, in runes.
const longestReason = 400

// OneLine is a text without what would move a terminal's line.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
