package prove

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/internal/app"
)

const (
	grace       = 2 * time.Second // of running attempts, when a node is asked to stop
	stopWithin  = time.Minute     // a node that was asked to stop has ended by then
	readyWithin = time.Minute     // a node that was started, or is cut off no longer, is ready by then
	look        = 20 * time.Millisecond
)

// nodeConfig is what a node is told on its standard input, where no other user of the
// machine sees the password of the store. It ends when that input does.
type nodeConfig struct {
	Store string `json:"store"`
}

// nodeCommand is the server that runs as a process of its own.
func nodeCommand(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "node", Short: "Run a node of outlast prove", Args: cobra.NoArgs, Hidden: true,
		RunE: c.Act(func(ctx context.Context, _ []string) error { return beNode(ctx, c) }),
	}
}

func beNode(ctx context.Context, c *cli.Env) error {
	in := bufio.NewReader(c.In)
	var config nodeConfig
	line, err := in.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &config) != nil {
		return cli.Usagef("outlast prove starts this by itself")
	}
	server, err := app.New(app.Config{
		Listen: "127.0.0.1:0", Store: config.Store, Openers: stores.Openers(), Grace: grace, Version: c.Version,
		AllowTargets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Logger:       slog.New(slog.NewTextHandler(c.Messages, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		return err
	}
	if err := server.Start(ctx); err != nil {
		return err
	}
	if err := c.WriteLine([]byte(server.URL())); err != nil {
		return err
	}
	alone := make(chan struct{})
	go func() {
		defer close(alone)
		_, _ = io.Copy(io.Discard, in) // until nobody holds the other end any more
	}()
	select {
	case <-alone:
		return errors.New("outlast prove is gone")
	case err = <-server.Failed():
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin/2)
	defer cancel()
	return errors.Join(err, server.Stop(bounded))
}

// process is a node that lives, or did.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	said  strings.Builder // complete when ended is closed
	url   string
	api   *client.Client
	ended chan struct{}
}

// node is one place of the fleet: a process after the other, and the network before it.
type node struct {
	name  string
	store string
	net   *proxy // nil for a file

	mu   sync.Mutex
	life *process
}

func (n *node) process() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.life
}

// start begins a process and waits until it is ready.
func (n *node) start(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	p := &process{cmd: exec.Command(program, "prove", "node"), ended: make(chan struct{})} //nolint:gosec // this very program
	p.cmd.SysProcAttr = apart()
	p.cmd.Stderr = &p.said
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	p.stdin = in
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	listens := make(chan string, 1)
	go func() {
		defer close(p.ended)
		lines := bufio.NewReader(out)
		line, _ := lines.ReadString('\n') // "" if it has ended
		listens <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, lines) // until it ends
		_ = p.cmd.Wait()                  // its code says more
	}()
	told, err := json.Marshal(nodeConfig{n.store})
	if err == nil {
		_, err = in.Write(append(told, '\n'))
	}
	if err == nil {
		err = p.begin(ctx, listens)
	}
	if err != nil {
		p.kill()
		return fmt.Errorf("%s does not start: %w: %s", n.name, err, strings.TrimSpace(p.said.String()))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.life = p
	return nil
}

// revive starts a node anew whose process has ended by itself, and says so.
func (n *node) revive(ctx context.Context) (problem string, err error) {
	p := n.process()
	if p.lives() {
		return "", nil
	}
	p.gone()
	return fmt.Sprintf("it ended by itself, %s: %s", p.cmd.ProcessState, strings.TrimSpace(p.said.String())), n.start(ctx)
}

func (p *process) lives() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

func (p *process) begin(ctx context.Context, listens <-chan string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	select {
	case p.url = <-listens:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if p.url == "" {
		return errors.New("it has ended")
	}
	if p.api, err = client.New(p.url, client.WithTries(1), client.WithUserAgent("outlast-prove")); err != nil {
		return err
	}
	return p.ready(ctx)
}

// ready waits until the process says that it is ready.
func (p *process) ready(ctx context.Context) error {
	for {
		one, cancel := context.WithTimeout(ctx, tryFor)
		health, err := p.api.Ready(one, false)
		cancel()
		if err == nil && health.Status == "ready" {
			return nil
		}
		if !lasted(ctx, look) {
			return fmt.Errorf("it is not ready within %s", readyWithin)
		}
		if !p.lives() {
			return errors.New("it has ended")
		}
	}
}

// kill is kill -9. It returns when the process is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be gone already
	p.gone()
}

// stop asks the process to stop, and returns what it did wrong.
func (p *process) stop() (problem string) {
	if err := ask(p.cmd.Process); err != nil {
		problem = err.Error()
	}
	timer := time.NewTimer(stopWithin)
	defer timer.Stop()
	select {
	case <-p.ended:
		if code := p.cmd.ProcessState.ExitCode(); code != 0 && signals {
			problem = fmt.Sprintf("it stopped with exit code %d: %s", code, strings.TrimSpace(p.said.String()))
		}
	case <-timer.C:
		problem = fmt.Sprintf("it did not stop within %s", stopWithin)
		_ = p.cmd.Process.Kill() // see kill
	}
	p.gone()
	return problem
}

func (p *process) gone() {
	<-p.ended
	_ = p.stdin.Close()
	if p.api != nil {
		p.api.Close()
	}
}
