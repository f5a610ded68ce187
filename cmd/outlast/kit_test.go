package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var binary string

// The tests run the program as its users do.
func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	folder, err := os.MkdirTemp("", "outlast-cli-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "outlast")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	return runTests(m)
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
	t     *testing.T
	cmd   *exec.Cmd
	url   string
	ended chan struct{}

	mu       sync.Mutex
	messages strings.Builder
}

// serve starts a server and waits until it listens.
func serve(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, ended: make(chan struct{})}
	p.cmd = exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--allow-target", "127.0.0.0/8", "--log-level", "warn"}, args...)...)
	p.cmd.Dir = t.TempDir()
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			p.mu.Lock()
			p.messages.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			if _, after, found := strings.Cut(lines.Text(), "listens on "); found {
				address <- strings.Fields(after)[0]
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // most have ended
		<-p.ended
		_ = p.cmd.Wait()
	})
	select {
	case p.url = <-address:
	case <-p.ended:
		t.Fatalf("the server did not start: %s", p.said())
	case <-time.After(30 * time.Second):
		t.Fatalf("the server does not listen: %s", p.said())
	}
	return p
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.messages.String()
}

// stop sends a signal and returns the exit code.
func (p *process) stop(signal syscall.Signal) int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.t.Fatal(err)
	}
	<-p.ended
	_ = p.cmd.Wait() // the code says more
	return p.cmd.ProcessState.ExitCode()
}

func endpoint(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}
