package faulttest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
)

// nodeEnv carries the nodeConfig of a process that plays a node instead of
// running tests.
const nodeEnv = "OUTLAST_FAULT_NODE"

// nodeConfig is what a node is told.
type nodeConfig struct {
	Store   string        // URL of the database, that of the harness when empty
	Name    string        // sent with every call
	Ledger  string        // URL of the receiver
	Server  bool          // the server as package app puts it together, instead of an application
	Only    bool          // an application that only enqueues
	Slots   int           // 0 for the default
	Near    int           // entries in memory, 0 for the default
	Horizon time.Duration // 0 for the default
	KillAt  string        // "point:n": SIGKILL to itself at the n-th time

	Connections int           // to a server, 0 for a few
	Retention   time.Duration // of tasks that have ended, 0 for the default
	Faults      *lossyStore   // of every store call
}

// killer ends the process at the n-th time that a point is passed.
type killer struct {
	point string
	left  atomic.Int64
}

func newKiller(at string) (*killer, error) {
	if at == "" {
		return &killer{}, nil
	}
	point, count, found := strings.Cut(at, ":")
	n, err := strconv.Atoi(count)
	if !found || err != nil {
		return nil, fmt.Errorf("%q is not point:n", at)
	}
	k := &killer{point: point}
	k.left.Store(int64(n))
	return k, nil
}

func (k *killer) pass(point string) {
	if point == k.point && k.left.Add(-1) == 0 {
		die()
	}
}

// die is kill -9 from inside: nothing of this process runs after it.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// runNode is the main function of a node.
func runNode(text string) int {
	var config nodeConfig
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
		return 2
	}
	if err := playNode(context.Background(), config); err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
		return 1
	}
	return 0
}

// playNode runs until standard input ends, which it does with the test.
func playNode(ctx context.Context, config nodeConfig) error {
	kill, err := newKiller(config.KillAt)
	if err != nil {
		return err
	}
	url, stop, err := startNode(ctx, config, kill)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "node listens on %s (pid %d)\n", url, os.Getpid())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return stop(ctx)
}

func startNode(ctx context.Context, config nodeConfig, kill *killer) (string, func(context.Context) error, error) {
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	local := netip.MustParsePrefix("127.0.0.0/8")
	if config.Server {
		a, err := app.New(app.Config{
			Listen: "127.0.0.1:0", Store: config.Store, Openers: openers(storeOptions{hook: kill.pass}),
			AllowTargets: []netip.Prefix{local}, Version: "faulttest", Logger: logger, Grace: -1,
		})
		if err != nil {
			return "", nil, err
		}
		if err := a.Start(ctx); err != nil {
			return "", nil, err
		}
		return a.URL(), a.Stop, nil
	}
	backend, closeStore, err := openStore(ctx, config.Store, storeOptions{config.Connections, kill.pass})
	if err != nil {
		return "", nil, err
	}
	backend, worse := config.Faults.wrap(backend)
	url, stop, err := startEmbedded(ctx, config, kill, backend, logger, local)
	if err != nil {
		return "", nil, errors.Join(err, closeStore())
	}
	worse()
	return url, func(ctx context.Context) error { return errors.Join(stop(ctx), closeStore()) }, nil
}

// startEmbedded is an application with the library inside, with the HTTP API
// beside it so that the test can talk to it.
func startEmbedded(ctx context.Context, config nodeConfig, kill *killer, backend store.Backend, logger *slog.Logger, local netip.Prefix) (string, func(context.Context) error, error) {
	options := []outlast.Option{outlast.WithLogger(logger), outlast.WithAllowedTargets(local), outlast.WithTuning(outlast.Tuning{
		Slots: config.Slots, NearFuture: config.Near, Horizon: config.Horizon, Grace: time.Second,
	})}
	if config.Only {
		options = append(options, outlast.WithEnqueueOnly())
	}
	if config.Retention > 0 {
		options = append(options, outlast.WithDoneRetention(config.Retention), outlast.WithDeadRetention(config.Retention))
	}
	c, err := outlast.Open(ctx, backend, options...)
	if err != nil {
		return "", nil, err
	}
	runner := &runner{config: config, kill: kill}
	outlast.Handle(c, "work", runner.work)
	outlast.Handle(c, "poison", runner.poison)
	if err := c.Start(ctx); err != nil {
		return "", nil, err
	}
	api, err := server.New(server.Config{Client: c, Logger: logger})
	if err != nil {
		return "", nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	web := api.HTTP()
	web.Handler = withGoroutines(web.Handler)
	go func() { _ = web.Serve(api.Listen(listener)) }()
	return "http://" + listener.Addr().String(), func(ctx context.Context) error {
		return errors.Join(listener.Close(), c.Stop(ctx))
	}, nil
}

// goroutinesPath tells how many goroutines a node has.
const goroutinesPath = "/faulttest/goroutines"

func withGoroutines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == goroutinesPath {
			fmt.Fprint(w, runtime.NumGoroutine())
			return
		}
		next.ServeHTTP(w, r)
	})
}

// runner has the handlers of an application: each run calls the ledger.
type runner struct {
	config nodeConfig
	kill   *killer
	client http.Client
}

func (r *runner) work(ctx context.Context, payload json.RawMessage) error {
	r.kill.pass("run.before")
	defer r.kill.pass("run.after")
	return r.call(ctx, payload)
}

// poison kills its process, whatever that does besides.
func (r *runner) poison(ctx context.Context, payload json.RawMessage) error {
	go func() { _ = r.call(ctx, payload) }()
	// sleep: so that ledger and test see the call and the process before it is gone
	time.Sleep(150 * time.Millisecond)
	die()
	return nil
}

func (r *runner) call(ctx context.Context, payload json.RawMessage) error {
	info, _ := outlast.Info(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.config.Ledger+"/run", bytes.NewReader(payload))
	if err != nil {
		return err
	}
	req.Header.Set("Webhook-Id", info.ID.String())
	req.Header.Set("Outlast-Claim", strconv.FormatInt(info.Claim, 10))
	req.Header.Set("Outlast-Attempt", strconv.Itoa(info.Attempt))
	req.Header.Set("Outlast-Node", r.config.Name)
	resp, err := r.client.Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the ledger says %s", resp.Status)
	}
	return nil
}

// tail keeps the last lines of a process's output.
type tail struct {
	mu    sync.Mutex
	lines []string
	lost  int // how often the node has said that it trusts itself no more
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > 40 {
		t.lines = t.lines[1:]
	}
	if strings.Contains(line, "msg=node.lost ") {
		t.lost++
	}
}

func (t *tail) timesLost() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

// read passes lines on until one says where the process listens, and keeps
// the rest.
func (t *tail) read(from io.Reader, url chan<- string) {
	defer close(url)
	lines := bufio.NewScanner(from)
	told := false
	for lines.Scan() {
		line := lines.Text()
		t.add(line)
		if _, rest, found := strings.Cut(line, "listens on "); found && !told {
			told = true
			url <- strings.Fields(rest)[0]
		}
	}
}
