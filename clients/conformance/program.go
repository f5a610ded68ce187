package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// program is a worker process.
type program struct {
	cmd    *exec.Cmd
	output tail
	ended  chan struct{} // closed when it has
	code   int           // then
}

// start runs a worker program. It is killed when ctx ends.
func start(ctx context.Context, args []string, s *server, lease, grace time.Duration) (*program, error) {
	p := &program{ended: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	p.cmd.Env = append(os.Environ(),
		"OUTLAST_SERVER="+s.url, "OUTLAST_TOKEN="+s.token, "OUTLAST_TOKEN_FILE=", "OUTLAST_CA_FILE=", "OUTLAST_RELEASE=",
		fmt.Sprintf("OUTLAST_KIT_LEASE=%d", int(lease.Seconds())), fmt.Sprintf("OUTLAST_KIT_GRACE=%d", int(grace.Seconds())))
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.WaitDelay = time.Second // for what it has left behind with its output
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // the code says it
		p.code = p.cmd.ProcessState.ExitCode()
		close(p.ended)
	}()
	return p, nil
}

// stop sends SIGTERM.
func (p *program) stop() { _ = p.cmd.Process.Signal(syscall.SIGTERM) } // unless it has ended

func (p *program) kill() {
	_ = p.cmd.Process.Kill() // unless it has ended
	<-p.ended
}

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text string
}

const mostOutput = 2000

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += string(data)
	t.text = t.text[max(0, len(t.text)-mostOutput):]
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.text)
}
