package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// childCommand is the hidden subcommand by which this program starts itself
// again, where a bench needs another process.
const childCommand = "child"

// A child prints one JSON line per event and ends when its standard input
// does.
type event struct {
	Kind     string  `json:"kind"`
	Address  string  `json:"address,omitempty"`
	Millis   float64 `json:"ms,omitempty"`  // since the child's main began
	Resident float64 `json:"rss,omitempty"` // MB
	Peak     float64 `json:"peak,omitempty"`
	Error    string  `json:"error,omitempty"`
	Task     int     `json:"task,omitempty"`
	Attempt  int     `json:"attempt,omitempty"`
	Nanos    int64   `json:"nanos,omitempty"` // of the wall clock, which processes of one host share
	report
}

// report is what a receiver has seen since the last one.
type report struct {
	Count  int     `json:"count,omitempty"`
	P50    float64 `json:"p50,omitempty"`
	P99    float64 `json:"p99,omitempty"`
	Max    float64 `json:"max,omitempty"`
	Opened int     `json:"opened,omitempty"` // connections
}

// childFlags are those of all kinds of children.
type childFlags struct {
	kind, system, store string
	tuned               tuning
	rate, n             int
}

func (f childFlags) args() []string {
	return []string{childCommand, "-kind", f.kind, "-system", f.system, "-store", f.store, "-tuned", f.tuned.encode(), "-rate", fmt.Sprint(f.rate), "-n", fmt.Sprint(f.n)}
}

// child is the main of a child process.
func child(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	var f childFlags
	flags := flag.NewFlagSet(childCommand, flag.ContinueOnError)
	flags.StringVar(&f.kind, "kind", "", "burn, enqueue, node, receive or run")
	flags.StringVar(&f.system, "system", "", "")
	flags.StringVar(&f.store, "store", "", "")
	flags.Func("tuned", "", func(text string) error { return json.Unmarshal([]byte(text), &f.tuned) })
	flags.IntVar(&f.rate, "rate", 0, "enqueues per second")
	flags.IntVar(&f.n, "n", 0, "enqueues, or slots")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	kinds := map[string]func(context.Context, childFlags, *dialogue) error{
		"enqueue": enqueueChild, "node": nodeChild, "receive": receiveChild, "run": runChild, "burn": burnChild,
	}
	run := kinds[f.kind]
	if run == nil {
		return usage("no child is a %q", f.kind)
	}
	return run(ctx, f, &dialogue{in: bufio.NewScanner(in), out: json.NewEncoder(out), began: time.Now()})
}

// dialogue is a child's side of the talk with its parent.
type dialogue struct {
	in    *bufio.Scanner
	mu    sync.Mutex
	out   *json.Encoder
	began time.Time
}

// tell sends an event with the time since the start and the memory in use.
func (d *dialogue) tell(e event) error {
	e.Millis = millis(time.Since(d.began))
	e.Resident, e.Peak = residentMB("VmRSS:"), residentMB("VmHWM:")
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.Encode(e)
}

// asked waits for the parent's next word; false when it has hung up.
func (d *dialogue) asked() (string, bool) {
	if !d.in.Scan() {
		return "", false
	}
	return d.in.Text(), true
}

// systemNamed finds a system for a child.
func systemNamed(name string) (system, error) {
	for _, s := range systems() {
		if s.name() == name {
			return s, nil
		}
	}
	return nil, usage("there is no system %q", name)
}

// process is the parent's side of a child.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	events chan event
	ended  chan struct{}
	err    error
	began  time.Time

	followed bool // somebody reads all events until there are no more
}

// spawn starts this program as a child. It is killed after the bench if it
// is still there.
func (s *session) spawn(ctx context.Context, f childFlags) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f.system = s.system.name()
	cmd := exec.CommandContext(ctx, self, f.args()...)
	cmd.Stderr = s.say
	return s.start(cmd)
}

func (s *session) start(cmd *exec.Cmd) (*process, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, stdin: stdin, events: make(chan event, 1024), ended: make(chan struct{}), began: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(stdout)
	s.later(p.kill)
	return p, nil
}

// read passes on the child's events until it ends.
func (p *process) read(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			e = event{Kind: "text", Error: lines.Text()}
		}
		p.events <- e
	}
	p.err = p.cmd.Wait()
	close(p.ended)
	close(p.events)
}

// expect waits for an event, and leaves out others.
func (p *process) expect(ctx context.Context, kind string, limit time.Duration) (event, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the child told no %q within %s", kind, limit))
	defer cancel()
	for {
		select {
		case e, ok := <-p.events:
			if !ok {
				return event{}, fmt.Errorf("the child ended before it told %q: %w", kind, p.err)
			}
			if e.Kind == kind {
				return e, nil
			}
		case <-ctx.Done():
			return event{}, context.Cause(ctx)
		}
	}
}

// ask sends a word and waits for the event of the same name.
func (p *process) ask(ctx context.Context, word string, limit time.Duration) (event, error) {
	if _, err := io.WriteString(p.stdin, word+"\n"); err != nil {
		return event{}, err
	}
	return p.expect(ctx, word, limit)
}

// finish hangs up and waits for a graceful end, unless that has come by itself.
func (p *process) finish(ctx context.Context) error {
	if err := p.stdin.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	p.listenOn()
	if err := wait(ctx, p.ended, time.Minute); err != nil {
		return err
	}
	return p.err
}

// listenOn leaves out all further events, so that the reader comes to the end, unless
// somebody follows them: what a child has said last is his.
func (p *process) listenOn() {
	if p.followed {
		return
	}
	go func() {
		for range p.events {
		}
	}()
}

// kill ends the process as kill -9 does, if it still runs.
func (p *process) kill() error {
	err := p.cmd.Process.Kill()
	p.listenOn()
	<-p.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// residentMB reads a line of /proc/self/status, 0 where there is none.
func residentMB(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			var kilobytes float64
			_, _ = fmt.Sscanf(rest, "%f", &kilobytes)
			return kilobytes / 1024
		}
	}
	return 0
}
