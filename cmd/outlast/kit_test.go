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
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/internal/binarytest"
)

var binary string

// The tests run the program as its users do.
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

// command runs the program to its end.
type command struct {
	t      *testing.T
	server string
	input  string
	env    []string
}

func (c command) run(args ...string) *result {
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

// serve starts a server and waits until it listens.
func serve(t *testing.T, args ...string) *process {
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
