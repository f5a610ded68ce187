package faulttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// readyWithin is the promise: ready again this soon after a kill. Processes that share
// two processors with those of other tests get three times as long: what they are tested
// for is another thing.
const readyWithin = 5 * time.Second

// process is a node or a server in a process of its own.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	output *tail
	url    string
	api    *client.Client
	began  time.Time
	ready  time.Duration // from the start of the process
	exited chan struct{}
	name   string // sent with its calls, "" for the server

	mu   sync.Mutex
	from time.Time // when it was told to die, zero if it did so by itself
	died time.Time // set before exited is closed
	told bool      // the ledger knows that it died
}

// launch starts a program and waits until it is ready.
func launch(ctx context.Context, path string, args, env []string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), output: &tail{}, exited: make(chan struct{}), began: time.Now()}
	p.cmd.Env = append(os.Environ(), env...)
	// A group of its own: when the shell that began the tests ends, the kernel wakes what
	// stands still in the shell's group, by SIGHUP and SIGCONT.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	url, read := make(chan string, 1), make(chan struct{})
	go func() { defer close(read); p.output.read(stderr, url) }()
	go func() {
		<-read
		_ = p.cmd.Wait() // how it ended is what the test made of it
		p.died = time.Now()
		close(p.exited)
	}()
	if err := p.awaitReady(ctx, url); err != nil {
		p.kill()
		return p, fmt.Errorf("%w; its output:\n%s", err, p.output)
	}
	return p, nil
}

// errEnded is a process that ended before it was ready.
var errEnded = errors.New("the process ended before it was ready")

func (p *process) awaitReady(ctx context.Context, url <-chan string) error {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	var told bool
	select {
	case p.url, told = <-url:
	case <-ctx.Done():
		return errors.New("the process does not say where it listens")
	}
	if !told {
		return errEnded
	}
	var err error
	if p.api, err = client.New(p.url, client.WithTries(1)); err != nil {
		return err
	}
	for {
		health, err := p.api.Ready(ctx, false)
		if err == nil && health.Status == "ready" {
			p.ready = time.Since(p.began)
			return nil
		}
		select {
		case <-p.exited:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("the process is not ready: %+v %w", health, err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// strike is kill -9. It does not wait.
func (p *process) strike() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from.IsZero() {
		p.from = time.Now()
	}
	_ = p.cmd.Process.Kill() // it may be gone already
}

// kill is kill -9; it returns when the process is gone.
func (p *process) kill() {
	select {
	case <-p.exited:
	default:
		p.strike()
		<-p.exited
	}
	if p.api != nil {
		p.api.Close()
	}
}

// death is what the ledger is told of the end of the process.
func (p *process) death() (trouble, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told {
		return trouble{}, false
	}
	p.told = true
	from := p.from
	if from.IsZero() || from.After(p.died) {
		from = p.died.Add(-200 * time.Millisecond) // by itself, a moment ago
	}
	return trouble{node: p.name, from: from, to: p.died.Add(20 * time.Millisecond)}, true
}

func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// state is what the kernel says of the process: T while it stands still, also where
// there is no /proc to ask.
func (p *process) state() string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return "T"
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	state, _, _ := strings.Cut(rest, " ")
	return state
}

// dies is how soon a process that was killed is known to be gone, at the latest.
const dies = time.Minute

// gone waits until the process has ended by itself.
func (p *process) gone(within time.Duration) bool {
	select {
	case <-p.exited:
		if p.api != nil {
			p.api.Close()
		}
		return true
	case <-time.After(within):
		return false
	}
}

// serve starts a server, as package app puts it together. What the program adds, flags and
// settings, its own tests kill (cmd/outlast).
func (h *harness) serve() *process {
	h.Helper()
	return h.node(nodeConfig{Server: true})
}

// node starts this test binary as a node.
func (h *harness) node(config nodeConfig) *process {
	h.Helper()
	return h.started(h.tryNode(config))
}

func (h *harness) tryNode(config nodeConfig) (*process, error) {
	if config.Store == "" {
		config.Store = h.store
	}
	config.Ledger = h.ledger.server.URL
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	p, err := launch(h.ctx, h.binary, []string{"-test.run=^$"}, append(h.env, nodeEnv+"="+string(text)))
	if p != nil {
		p.name = config.Name
	}
	return p, err
}

func (h *harness) started(p *process, err error) *process {
	h.Helper()
	if p != nil {
		h.Cleanup(func() { p.kill() })
	}
	if err != nil {
		h.Fatalf("a process does not start: %v", err)
	}
	h.mu.Lock()
	h.last = p
	h.mu.Unlock()
	if p.ready > bound(h.crowd*readyWithin) {
		h.violation("I8: ready only after %s", p.ready)
	}
	h.slowest = max(h.slowest, p.ready)
	return p
}
