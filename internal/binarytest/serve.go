package binarytest

import (
	"bufio"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// Server is outlast serve, or another command with a server, in a process of its own.
type Server struct {
	URL string
	API *client.Client // without repeats: an error is what the server said

	t     testing.TB
	cmd   *exec.Cmd
	ended chan struct{} // closed when it says nothing any more

	mu       sync.Mutex
	messages strings.Builder
}

// startWithin is how long a server may take until it listens.
const startWithin = 30 * time.Second

// Serve starts a server on a free port and waits until it listens. It may call the
// test's own endpoints, and logs from WARN on unless the arguments say otherwise.
// It is killed at the end of the test.
func Serve(t testing.TB, args ...string) *Server {
	t.Helper()
	return Start(t, slices.Concat(serveArgs, args)...)
}

var serveArgs = []string{"serve", "--listen", "127.0.0.1:0", "--allow-target", "127.0.0.0/8", "--log-level", "warn"}

// Start runs a command that has a server, and waits like [Serve] until it says where
// that listens.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return start(t, exec.Command(path, args...)) //nolint:gosec // a test
}

// ServeWithin is [Serve] in a process that may have so many descriptors.
func ServeWithin(t testing.TB, descriptors int, args ...string) *Server {
	t.Helper()
	limited := []string{"-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(descriptors), path}
	return start(t, exec.Command("sh", append(append(limited, serveArgs...), args...)...)) //nolint:gosec // a test
}

func start(t testing.TB, cmd *exec.Cmd) *Server {
	t.Helper()
	if path == "" {
		t.Fatal("binarytest: let TestMain call binarytest.Run: nobody has built the program")
	}
	s := &Server{t: t, cmd: cmd, ended: make(chan struct{})}
	s.cmd.Dir = t.TempDir()
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		defer close(s.ended)
		s.read(bufio.NewScanner(stderr), address)
	}()
	t.Cleanup(s.end)
	select {
	case s.URL = <-address:
	case <-s.ended:
		t.Fatalf("the server did not start: %s", s.Said())
	case <-time.After(startWithin):
		t.Fatalf("the server does not listen: %s", s.Said())
	}
	if s.API, err = client.New(s.URL, client.WithTries(1)); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Server) read(lines *bufio.Scanner, address chan<- string) {
	for lines.Scan() {
		s.mu.Lock()
		s.messages.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
		_, after, found := strings.Cut(lines.Text(), "listens on ")
		if !found { // as it is logged in JSON
			_, after, found = strings.Cut(lines.Text(), `"msg":"server.listens"`)
			_, after, _ = strings.Cut(strings.ReplaceAll(after, `"`, " "), " url : ")
		}
		if found {
			select {
			case address <- strings.TrimSuffix(strings.Fields(after)[0], ","):
			default: // it has said so before
			}
		}
	}
}

// Said is what the server has written to standard error: its log.
func (s *Server) Said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages.String()
}

// Stop sends a signal, waits until the process has ended and returns its exit code,
// -1 if a signal ended it.
func (s *Server) Stop(signal syscall.Signal) int {
	s.t.Helper()
	s.Signal(signal)
	return s.Wait()
}

// Signal sends a signal.
func (s *Server) Signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// PID is the id of the process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Wait waits until the process has ended and returns its exit code.
func (s *Server) Wait() int {
	<-s.ended
	_ = s.cmd.Wait() // the code says more
	s.API.Close()
	return s.cmd.ProcessState.ExitCode()
}

// end kills what has not ended.
func (s *Server) end() {
	_ = s.cmd.Process.Kill() // most have ended
	<-s.ended
	_ = s.cmd.Wait()
	if s.API != nil {
		s.API.Close()
	}
}
