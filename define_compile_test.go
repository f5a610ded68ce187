package outlast_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// snippet is a program around one statement.
const snippet = `package snippet

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/task"
)

type Order struct{ ID string }

var (
	Charge = outlast.Define[Order, int]("charge", outlast.MaxAttempts(5), outlast.InQueue("q"))
	Refund = outlast.Define[Order, string]("refund")
	Told   = outlast.Define[task.Ended, outlast.None]("told")
	Mail   = outlast.Define[string, outlast.None]("mail")
)

func statement(ctx context.Context, c *outlast.Client, t *outlast.Task) {
	_ = time.Second
	_ = t
	STATEMENT
}
`

// Payloads, results and follow-up tasks of another type do not compile.
func TestWrongTypesDoNotCompile(t *testing.T) {
	t.Parallel()
	check := checker(t)
	for statement, fits := range map[string]bool{
		`_, _ = Charge.Enqueue(ctx, c, Order{"A"}, outlast.Delay(time.Second))`:                 true,
		`_, _ = Charge.Enqueue(ctx, c, "A")`:                                                    false,
		`_, _ = Charge.Enqueue(ctx, c, Order{"A"}, outlast.MaxAttempts(1))`:                     false,
		`_, _ = Charge.EnqueueAll(ctx, c, []string{"A"})`:                                       false,
		`_, _ = Charge.Draft(&Order{})`:                                                         false,
		`var n int; n, _ = Charge.Run(ctx, c, Order{}); _ = n`:                                  true,
		`var s string; s, _ = Charge.Run(ctx, c, Order{}); _ = s`:                               false,
		`var s string; s, _ = Charge.Result(t); _ = s`:                                          false,
		`Charge.Handle(c, func(context.Context, Order) (int, error) { return 1, nil })`:         true,
		`Charge.Handle(c, func(context.Context, string) (int, error) { return 1, nil })`:        false,
		`Charge.Handle(c, func(context.Context, Order) (string, error) { return "", nil })`:     false,
		`Charge.Handle(c, outlast.NoResult(func(context.Context, Order) error { return nil }))`: false,
		`Mail.Handle(c, outlast.NoResult(func(context.Context, string) error { return nil }))`:  true,
		`_ = Charge.Fallback(Refund).OnSuccess(Told).OnDead(Told)`:                              true,
		`_ = Charge.Fallback(Mail)`:                                                             false,
		`_ = Charge.OnDead(Mail)`:                                                               false,
		`_ = Charge.Key(func(o Order) string { return o.ID })`:                                  true,
		`_ = Charge.Key(func(s string) string { return s })`:                                    false,
	} {
		if err := check(strings.Replace(snippet, "STATEMENT", statement, 1)); (err == nil) != fits {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// checker returns what checks the types of a file that imports this package.
func checker(t *testing.T) func(source string) error {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "github.com/outlast-dev/outlast").Output()
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, place, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			places[name] = place
		}
	}
	fset := token.NewFileSet()
	known := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(places[path]) })
	return func(source string) error {
		file, err := parser.ParseFile(fset, "snippet.go", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		config := types.Config{Importer: known}
		_, err = config.Check("snippet", fset, []*ast.File{file}, nil)
		return err
	}
}
