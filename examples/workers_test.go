package examples

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

// cast is a node, its workers, and a client.
type cast struct {
	*testing.T
	bin, file, listen string
	server            string   // its URL
	flags             []string // of the server, beside those that all have
	env               []string // of workers, beside the test's own
	bearer            string   // their token
	pool              *x509.CertPool
	node              *process
	client            *client.Client
}

// process is a program that runs.
type process struct {
	*exec.Cmd
	out bytes.Buffer
}

func (c *cast) run(name string, args ...string) *process {
	c.Helper()
	p := &process{Cmd: exec.Command(name, args...)}
	p.Env = append(os.Environ(), c.env...)
	p.Stdout, p.Stderr = &p.out, &p.out
	if err := p.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = p.Process.Signal(syscall.SIGCONT)
		_ = p.Process.Kill()
		_ = p.Wait()
		if c.Failed() {
			c.Logf("%s %v:\n%s", filepath.Base(name), args, p.out.String())
		}
	})
	return p
}

func newCast(t *testing.T, bin string) *cast {
	c := backstage(t, bin)
	c.server = "http://" + c.listen
	c.connect()
	c.startNode()
	return c
}

// backstage is a cast without its node.
func backstage(t *testing.T, bin string) *cast {
	t.Parallel()
	return &cast{T: t, bin: bin, file: filepath.Join(t.TempDir(), "workers.db"), listen: free(t)}
}

func (c *cast) connect(options ...client.Option) {
	c.Helper()
	var err error
	if c.client, err = client.New(c.server, options...); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(c.client.Close)
}

func (c *cast) startNode() {
	c.Helper()
	c.node = c.run(binarytest.Path(), append([]string{"serve", "--store", "sqlite:" + c.file, "--listen", c.listen}, c.flags...)...)
	c.until("the node is ready", func() bool {
		_, err := c.client.DeadStats(c.Context())
		return err == nil
	})
}

// Leases in seconds. A worker extends one when a third of it is over.
const (
	longLease  = 60 // no test waits for its extension, or for its end
	keptLease  = 15 // is extended while its task runs
	shortLease = 3  // is to end
)

// startWorker starts a worker in a language, with leases of so many seconds.
func (c *cast) startWorker(language string, lease int) *process {
	c.Helper()
	seconds := strconv.Itoa(lease)
	if language == "python" {
		return c.python("workers/python/worker.py", seconds)
	}
	return c.run(filepath.Join(c.bin, "go"), c.server, seconds)
}

// python starts a program that uses the package for Python.
func (c *cast) python(program, seconds string) *process {
	c.Helper()
	c.env = append(c.env, "PYTHONPATH=../clients/python/src", "PYTHONDONTWRITEBYTECODE=1")
	return c.run("python3", program, c.server, seconds)
}

// patience is for what happens by itself: only a fault takes longer.
const patience = 2 * time.Minute

func (c *cast) until(what string, done func() bool) {
	c.Helper()
	deadline := time.After(patience)
	for !done() {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			c.Fatalf("after %s it is not so that %s", patience, what)
		}
	}
}

var soon = json.RawMessage(`{"max_attempts": 4, "backoff": {"kind": "fixed", "initial": "100ms"}, "breaker": "none", "budget": "none"}`)

func (c *cast) enqueue(taskType, payload string) task.ID {
	c.Helper()
	t, _, err := c.client.Enqueue(c.Context(), client.Draft{Type: taskType, Payload: json.RawMessage(payload), Retry: soon})
	if err != nil {
		c.Fatal(err)
	}
	return t.ID
}

func (c *cast) get(id task.ID) *client.Task {
	c.Helper()
	t, err := c.client.Task(c.Context(), id)
	if err != nil {
		c.Fatal(err)
	}
	return t
}

// ends waits for the end of a task.
func (c *cast) ends(id task.ID, want task.State) *client.Task {
	c.Helper()
	var t *client.Task
	c.until("the task is "+string(want), func() bool { t = c.get(id); return t.State == want })
	return t
}

func (c *cast) runs(id task.ID) *client.Task {
	c.Helper()
	var t *client.Task
	c.until("the task runs", func() bool { t = c.get(id); return t.State == task.Running && t.Worker != "" })
	return t
}

// shown enqueues a task that takes some seconds, and waits until its worker has said how
// far it is, which it does when it extends the lease. One that nobody looked at in time is
// followed by a longer one.
func (c *cast) shown(seconds int) task.ID {
	c.Helper()
	var id task.ID
	c.until("progress is shown", func() bool {
		if id.IsZero() || c.get(id).State == task.Succeeded {
			id = c.enqueue("slow", fmt.Sprintf(`{"seconds": %d}`, seconds))
			seconds *= 2
		}
		return strings.Contains(string(c.get(id).Progress), "done")
	})
	return id
}

// underway enqueues a task that an odd worker works on until it is let go.
func (c *cast) underway() (running *client.Task, letGo func()) {
	c.Helper()
	file := filepath.Join(c.TempDir(), "go")
	running = c.runs(c.enqueue("until", fmt.Sprintf(`{"file": %q}`, file)))
	return running, func() {
		c.Helper()
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			c.Fatal(err)
		}
	}
}

// history lists the outcomes of a task's attempts.
func (c *cast) history(id task.ID) (outcomes []string) {
	c.Helper()
	attempts, err := c.client.Attempts(c.Context(), id)
	if err != nil {
		c.Fatal(err)
	}
	for _, a := range attempts.Attempts {
		outcomes = append(outcomes, a.Outcome)
	}
	return outcomes
}

// Workers in two languages behave alike. That of clients/typescript has tests of its own.
func TestWorkers(t *testing.T) {
	bin := programs(t)
	for _, language := range []string{"go", "python"} {
		t.Run(language+", odd", func(t *testing.T) { oddWorkers(newCast(t, bin), language) })
		t.Run(language+", token revoked", func(t *testing.T) { revokedWorker(secureCast(t, bin), language) })
		for name, story := range map[string]func(*cast, string){
			"tasks": tasksOfWorkers, "cancel": cancelOfWorkers, "worker killed": workerKilled, "node killed": nodeKilled, "worker stopped": workerStopped,
		} {
			t.Run(language+", "+name, func(t *testing.T) { story(newCast(t, bin), language) })
		}
		t.Run(language+", TLS and tokens", func(t *testing.T) { secureWorkers(secureCast(t, bin), language) })
	}
}

func tasksOfWorkers(c *cast, language string) {
	worker := c.startWorker(language, keptLease)
	greeted := c.ends(c.enqueue("greet", `{"name":"Ada"}`), task.Succeeded)
	if !strings.Contains(string(greeted.Result), "Hello Ada, from ") {
		c.Errorf("result %s", greeted.Result)
	}
	flaky := c.ends(c.enqueue("flaky", `{}`), task.Succeeded)
	if flaky.Attempt != 3 || flaky.LastError.Category != "network" || !strings.Contains(flaky.LastError.Message, "the shop hung up") {
		c.Errorf("attempt %d, error %+v", flaky.Attempt, flaky.LastError)
	}
	if got := c.history(flaky.ID); !slices.Equal(got, []string{"failed", "failed", "succeeded"}) {
		c.Errorf("history %v", got)
	}
	if dead := c.ends(c.enqueue("check", `{}`), task.Dead); dead.DeadReason != "rejected" || !strings.Contains(dead.LastError.Message, "an order has no number") {
		c.Errorf("dead: %s, %+v", dead.DeadReason, dead.LastError)
	}
	other := c.enqueue("paint", `{}`)
	c.until("nobody can paint", func() bool { return c.get(other).Waiting == "no worker" })

	slow := c.shown(10)                                            // else the worker might not know yet that it has it
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil { // it finishes what it has
		c.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		c.Errorf("the worker: %v", err)
	}
	if done := c.get(slow); done.State != task.Succeeded || done.Crashes != 0 || done.Attempt != 1 {
		c.Errorf("the slow task is %s after %d attempts and %d crashes", done.State, done.Attempt, done.Crashes)
	}
}

func cancelOfWorkers(c *cast, language string) {
	c.startWorker(language, keptLease)
	slow := c.shown(60)
	if _, err := c.client.Cancel(c.Context(), slow); err != nil {
		c.Fatal(err)
	}
	c.ends(slow, task.Canceled)
	c.ends(c.enqueue("greet", `{"name":"Bob"}`), task.Succeeded)
}

func workerKilled(c *cast, language string) {
	worker := c.startOdd(language, shortLease)
	first, letGo := c.underway()
	if err := worker.Process.Kill(); err != nil {
		c.Fatal(err)
	}
	c.startOdd(language, longLease)
	letGo()
	c.ranAgain(first)
}

// ranAgain waits for the success of a task whose lease has ended: that is a crash, which
// costs no attempt. On a busy machine later leases may end too.
func (c *cast) ranAgain(first *client.Task) {
	c.Helper()
	done := c.ends(first.ID, task.Succeeded)
	if done.Crashes < 1 || done.Attempt != 1 || done.Claim <= first.Claim {
		c.Errorf("%d crashes, %d attempts, claims %d and %d", done.Crashes, done.Attempt, first.Claim, done.Claim)
	}
	if got := c.history(first.ID); !slices.Equal(got, append(slices.Repeat([]string{"crashed"}, done.Crashes), "succeeded")) {
		c.Errorf("history %v", got)
	}
}

// The node is killed while a worker works; the worker tells the next one.
func nodeKilled(c *cast, language string) {
	c.startOdd(language, longLease)
	first, letGo := c.underway()
	if err := c.node.Process.Kill(); err != nil {
		c.Fatal(err)
	}
	_ = c.node.Wait()
	letGo()
	c.startNode()
	if done := c.ends(first.ID, task.Succeeded); done.Crashes != 0 || done.Attempt != 1 || done.Claim != first.Claim {
		c.Errorf("%d crashes, %d attempts, claims %d and %d", done.Crashes, done.Attempt, first.Claim, done.Claim)
	}
	c.ends(c.enqueue("fine", `{}`), task.Succeeded)
}

// A worker is stopped for longer than its lease, and wakes: what it has done then is
// refused.
func workerStopped(c *cast, language string) {
	worker := c.startOdd(language, shortLease)
	first, letGo := c.underway()
	if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
		c.Fatal(err)
	}
	c.until("its lease has ended", func() bool { t := c.get(first.ID); return t.State == task.Pending && t.Crashes > 0 })
	late, err := c.client.Settle(c.Context(), []client.TaskResult{{ID: first.ID, Claim: first.Claim, Outcome: "succeeded"}})
	if err != nil || late[0].Status != "stale_claim" {
		c.Errorf("a late success: %+v, %v", late, err)
	}
	letGo()
	if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
		c.Fatal(err)
	}
	c.ranAgain(first)
}
