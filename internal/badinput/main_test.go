package badinput

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// world is one server on a SQLite store, shared by all tests of this package:
// what one hostile request leaves behind is what the next one meets.
type world struct {
	server *app.App
	node   *outlast.Client
	url    string
	binary string
	build  func() error
	shell  shell
	log    *journal
}

var shared *world

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "badinput")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(folder)
	w := &world{binary: filepath.Join(folder, "outlast"), log: &journal{}}
	w.build = sync.OnceValue(func() error { return buildProgram(folder, w.binary) }) // not in fuzzing processes, which never call it
	ctx := context.Background()
	if err := w.start(ctx, filepath.Join(folder, "outlast.db")); err != nil {
		return failed(err)
	}
	shared = w
	code := m.Run()
	w.shell.close()
	if err := w.server.Stop(ctx); err != nil {
		return failed(err)
	}
	return code
}

func failed(err error) int {
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

// start serves on loopback. The test's own receivers listen on 127.0.0.1,
// which is allowed; every other private address is not.
func (w *world) start(ctx context.Context, path string) (err error) {
	open := func(ctx context.Context, path string) (store.Backend, error) { return sqlite.Open(ctx, path) }
	w.server, err = app.New(app.Config{
		Listen: "127.0.0.1:0", Store: "sqlite:" + path, Openers: app.Openers{"sqlite": {Open: open}}, Grace: -1,
		AllowTargets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Logger:       slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		return err
	}
	if err := w.server.Start(ctx); err != nil {
		return err
	}
	w.node, w.url = w.server.Client(), w.server.URL()
	return nil
}

// count is how many tasks, queues and operations there are: what a refused
// request must not change.
func (w *world) count(t testing.TB) string {
	t.Helper()
	inspector := w.node.Inspector()
	count := func(filter store.Filter) int {
		found, err := inspector.Tasks.Count(t.Context(), filter, 1_000_000)
		must(t, err)
		return found
	}
	tasks := -1
	for before := -2; tasks != before; { // tasks of alerts, which are left out, come while they are counted
		before = tasks
		tasks = count(store.Filter{})
	}
	dead, err := inspector.Tasks.Count(t.Context(), store.Filter{State: task.Dead}, 1_000_000)
	must(t, err)
	queues, err := inspector.Queues.List(t.Context())
	must(t, err)
	operations, err := inspector.Operations.List(t.Context(), 500)
	must(t, err)
	return fmt.Sprintf("%d tasks, %d dead, %d queues, %d operations", tasks, dead, len(queues), len(operations))
}

// unchanged fails the test if a refused request had an effect.
func (w *world) unchanged(t testing.TB, before string) {
	t.Helper()
	if after := w.count(t); after != before {
		t.Errorf("a refusal had an effect: before %s, after %s", before, after)
	}
}

// refuses checks the manners of a refusal on the command line: exit code 2,
// nothing on standard output, and on standard error one of the words and
// nothing that a terminal would obey.
func (p program) refuses(t testing.TB, words ...string) {
	t.Helper()
	if p.exit != 2 || p.stdout != "" {
		t.Errorf("cli: exit code %d and output %.300q, want 2 and nothing; messages %.500q", p.exit, p.stdout, p.messages)
	}
	if control(p.messages) {
		t.Errorf("cli: control characters in %.500q", p.messages)
	}
	if len(p.messages) > 20<<10 {
		t.Errorf("cli: a message of %d bytes", len(p.messages))
	}
	for _, word := range words {
		if strings.Contains(p.messages, word) {
			return
		}
	}
	t.Errorf("cli: none of %q in %.500q", words, p.messages)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// journal is the server's log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
