//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// startWithin bounds a start, recovery after a crash included.
const startWithin = 2 * time.Minute

// stopWithin bounds a graceful stop; after it the server is killed.
const stopWithin = 30 * time.Second

// How says how a server is stopped.
type How int

const (
	// Graceful ends sessions and writes everything: SIGINT (PostgreSQL) or SIGTERM.
	Graceful How = iota
	// Immediate drops everything, and the next start recovers: SIGQUIT
	// (PostgreSQL), SIGKILL (others).
	Immediate
)

// kind is what differs between servers.
type kind interface {
	// command is the program and its arguments.
	command(p *place, o options) (path string, args []string)
	// ready returns nil when the server at the other end serves.
	ready(conn net.Conn) error
	// signal stops the server.
	signal(How) syscall.Signal
	// url is how clients reach a database.
	url(address, database string) string
}

// configured is a kind that writes a file before each start.
type configured interface {
	configure(p *place, o options) error
}

// Server is a database server that belongs to this process. Its methods may be
// called from several goroutines; starts and stops exclude each other.
type Server struct {
	*place
	kind    kind
	options options

	mu     sync.Mutex
	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has ended
	closed bool
}

// launch starts a server whose data directory is ready. Where somebody has taken
// its port meanwhile, it takes another one.
func launch(ctx context.Context, p *place, k kind, o options) (*Server, error) {
	s := &Server{place: p, kind: k, options: o}
	var err error
	for range 5 {
		if err = s.Start(ctx); err == nil || ctx.Err() != nil || !errors.Is(err, errEnded) {
			break
		}
		port, portErr := FreePort()
		if portErr != nil {
			break
		}
		s.port = port
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Addr is host:port.
func (s *Server) Addr() string { return s.address() }

// URL returns the URL of a database: postgres://, mysql://, or redis:// with the
// database's number. It need not exist yet.
func (s *Server) URL(database string) string { return s.kind.url(s.address(), database) }

// Data is the server's data directory.
func (s *Server) Data() string { return s.data }

// Pid is the process id of the server, 0 while it does not run.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// errEnded is a server that ended while it was to start.
var errEnded = errors.New("the server ended")

// Start starts a server that was stopped, on the same port and data, and returns
// when it serves. It does nothing if the server runs.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("servers: it was closed")
	}
	if s.cmd != nil {
		select {
		case <-s.ended: // by itself
		default:
			return nil
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, fmt.Errorf("not ready within %s", startWithin))
	defer cancel()
	if err := s.spawn(); err != nil {
		return err
	}
	if err := s.await(ctx); err != nil {
		s.halt(Immediate)
		return fmt.Errorf("servers: %s: %w\n%s", filepath.Base(s.cmdPath()), err, s.Log(4<<10))
	}
	return nil
}

func (s *Server) cmdPath() string {
	path, _ := s.kind.command(s.place, s.options)
	return path
}

func (s *Server) spawn() error {
	if k, needs := s.kind.(configured); needs {
		if err := k.configure(s.place, s.options); err != nil {
			return err
		}
	}
	path, args := s.kind.command(s.place, s.options)
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has it
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = s.dir, s.as, log, log
	cmd.Env = append(os.Environ(), "HOME="+s.dir)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ends is told by its log
	}()
	s.cmd, s.ended = cmd, ended
	return s.running(cmd.Process.Pid)
}

// await polls until the server serves.
func (s *Server) await(ctx context.Context) error {
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		err := s.ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-poll.C:
		}
	}
}

func (s *Server) ask(ctx context.Context) error {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", s.address())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // nothing was written that matters
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	return s.kind.ready(conn)
}

// Stop stops the server and returns when its process has ended. The data stays, for
// [Server.Start]. It does nothing if the server does not run.
func (s *Server) Stop(how How) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halt(how)
}

func (s *Server) halt(how How) {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(s.kind.signal(how)) // it may have ended
	select {
	case <-s.ended:
	case <-time.After(stopWithin):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	s.cmd = nil
	_ = s.running(0) // without the shell nothing is left to tell
}

// Restart stops the server and starts it again, on the same port and data.
func (s *Server) Restart(ctx context.Context, how How) error {
	s.Stop(how)
	return s.Start(ctx)
}

// Close stops the server and removes everything. It may be called again.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.halt(Immediate)
	s.closed = true
	return s.leave()
}

func (s *Server) logPath() string { return filepath.Join(s.dir, "log") }

// Log returns the end of what the server has said, most bytes at most.
func (s *Server) Log(most int64) string {
	file, err := os.Open(s.logPath())
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err == nil && info.Size() > most {
		_, _ = file.Seek(-most, io.SeekEnd) // the whole is good as well
	}
	text, _ := io.ReadAll(file) // what there is
	return string(text)
}
