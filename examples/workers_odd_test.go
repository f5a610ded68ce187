package examples

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// startOdd starts a worker that has the library of a language, and handlers that give
// back what no server takes.
func (c *cast) startOdd(language string, lease int) *process {
	c.Helper()
	seconds := strconv.Itoa(lease)
	if language == "python" {
		return c.python("testdata/odd/odd.py", seconds)
	}
	return c.run(filepath.Join(c.bin, "odd"), c.server, seconds)
}

// died waits for the end of a worker, which must say why and not be a success.
func (c *cast) died(worker *process, says string) {
	c.Helper()
	err := worker.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(worker.out.String(), says) {
		c.Errorf("the worker ended: %v, without %q in:\n%s", err, says, worker.out.String())
	}
}

// oddWorkers: what a handler returns or raises fails its own task, with the reason, and
// harms none of those that are settled with it or after it.
func oddWorkers(c *cast, language string) {
	kinds := []string{"large", "type", "cycle", "nan", "text", "deep", "number", "nul", "half", "mute"}
	if language == "go" {
		kinds = append(kinds, "goexit")
	}
	var drafts []client.Draft
	for _, kind := range kinds {
		drafts = append(drafts, client.Draft{Type: "odd", Payload: json.RawMessage(`{"kind":"` + kind + `"}`), Retry: soon},
			client.Draft{Type: "fine", Retry: soon})
	}
	results, err := c.client.EnqueueBatch(c.Context(), drafts, true)
	if err != nil {
		c.Fatal(err)
	}
	c.startOdd(language, longLease)
	for i, kind := range kinds {
		if fine := c.ends(results[2*i+1].ID, task.Succeeded); fine.Crashes != 0 || string(fine.Result) != `"fine"` {
			c.Errorf("beside %s: %d crashes, result %s", kind, fine.Crashes, fine.Result)
		}
		dead := c.ends(results[2*i].ID, task.Dead)
		if got := c.history(dead.ID); slices.ContainsFunc(got, func(outcome string) bool { return outcome != "failed" && outcome != "dead" }) {
			c.Errorf("%s: history %v", kind, got)
		}
		failure, once := dead.LastError, !slices.Contains([]string{"nul", "half", "mute", "goexit"}, kind)
		if once != (failure.Code == "bad_result" && failure.Category == "permanent" && dead.Attempt == 1) || dead.Crashes != 0 {
			c.Errorf("%s: attempt %d, %d crashes, %+v", kind, dead.Attempt, dead.Crashes, failure)
		}
		if says := map[string]string{"large": "65538 bytes", "number": "results[0].", "deep": "nested", "nul": "a\ufffdb", "half": "a"}[kind]; !strings.Contains(failure.Message, says) {
			c.Errorf("%s: %s", kind, failure.Message)
		}
	}
}

// revokedWorker: a worker whose token is revoked ends, and its tasks run elsewhere when
// their leases have ended.
func revokedWorker(c *cast, language string) {
	worker := c.startOdd(language, shortLease)
	waits := c.enqueue("wait", `{}`)
	c.runs(waits)
	tokens, err := c.client.Tokens(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	for _, t := range tokens.Tokens {
		if t.Name == "worker" {
			if _, err := c.client.RevokeToken(c.Context(), t.ID); err != nil {
				c.Fatal(err)
			}
		}
	}
	c.died(worker, "revoked")
	c.until("the lease has ended", func() bool { return c.get(waits).Crashes > 0 })
}

// TestWorkerThreadDies: a Python worker of which a thread has died would go on taking
// tasks that it cannot end.
func TestWorkerThreadDies(t *testing.T) {
	c := newCast(t, programs(t))
	worker := c.startOdd("python", shortLease)
	waits := c.enqueue("wait", `{}`)
	c.runs(waits) // only then: the worker may take one of two, and die of it
	sabotage := c.enqueue("sabotage", `{}`)
	c.died(worker, "since settle died")
	for _, id := range []task.ID{waits, sabotage} {
		c.until("the lease has ended", func() bool { return c.get(id).Crashes > 0 })
	}
}
