package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/binarytest"
)

var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int { return binarytest.Run(built{m}) }

// built runs the tests with the program.
type built struct{ m *testing.M }

func (b built) Run() int {
	binary = binarytest.Path()
	return runTests(b.m)
}

// runTests runs the tests; where database servers can be started it also ends them.
var runTests = func(m *testing.M) int { return m.Run() }

// result is what a command left behind.
type result struct {
	t           *testing.T
	args        []string
	code        int
	out, stderr string
}

// command runs commands to their end, within the test: most need no process.
type command struct {
	t      *testing.T
	server string
	input  string
	env    []string
}

func (c command) run(args ...string) *result {
	c.t.Helper()
	if len(args) > 0 && args[0] == "serve" {
		return c.process(args...) // which could start, in a folder
	}
	var out, messages said
	one := &cli.Env{In: strings.NewReader(c.input), Out: &out, Messages: &messages, RestoreSignals: func() {}, Lookup: c.lookup, Version: version()}
	code := runCommand(c.t.Context(), one, args)
	return &result{c.t, args, code, out.String(), messages.String()}
}

// lookup finds variables of the command before those of the test.
func (c command) lookup(variable string) (value string, set bool) {
	for _, one := range append(c.env, "OUTLAST_SERVER="+c.server) {
		if name, value, _ := strings.Cut(one, "="); name == variable {
			return value, true
		}
	}
	return os.LookupEnv(variable)
}

// said is what several goroutines write.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(data)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// process runs the program to its end, as its users do.
func (c command) process(args ...string) *result {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "OUTLAST_SERVER="+c.server)
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Dir = c.t.TempDir()
	cmd.Stdin = strings.NewReader(c.input)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	return &result{c.t, args, cmd.ProcessState.ExitCode(), out.String(), messages.String()}
}

// exits checks the exit code.
func (r *result) exits(code int) *result {
	r.t.Helper()
	if r.code != code {
		r.t.Fatalf("outlast %s: exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(r.args, " "), r.code, code, r.out, r.stderr)
	}
	return r
}

// silent checks that there is no data.
func (r *result) silent() *result {
	r.t.Helper()
	if r.out != "" {
		r.t.Errorf("outlast %s: data where there is none: %s", strings.Join(r.args, " "), r.out)
	}
	return r
}

// says checks that the messages contain a text.
func (r *result) says(text string) *result {
	r.t.Helper()
	if !strings.Contains(r.stderr, text) {
		r.t.Errorf("outlast %s: no %q in the messages: %s", strings.Join(r.args, " "), text, r.stderr)
	}
	return r
}

// json reads the data, which must be one JSON value.
func (r *result) json() map[string]any {
	r.t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(r.out), &out); err != nil {
		r.t.Fatalf("outlast %s: %v in %q", strings.Join(r.args, " "), err, r.out)
	}
	return out
}

// process is a server that runs as a process of its own.
type process struct {
	*binarytest.Server
	t   *testing.T
	url string
}

// startServer starts a server and waits until it listens.
func startServer(t *testing.T, args ...string) *process {
	t.Helper()
	s := binarytest.Serve(t, args...)
	return &process{s, t, s.URL}
}

func (p *process) said() string { return p.Said() }

// stop sends a signal and returns the exit code.
func (p *process) stop(signal syscall.Signal) int { return p.Stop(signal) }

func endpoint(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}
