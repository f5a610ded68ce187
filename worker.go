package outlast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Limits of what remote workers ask for.
const (
	mostPolled     = 1000
	mostPollWait   = time.Minute
	leastLease     = time.Second
	mostLease      = time.Hour
	mostSubscribed = 256
)

// PollTasks waits for tasks for a remote worker, at most poll.Wait, and returns as
// soon as there are some. What it returns is leased to the worker, on disk. A worker
// is served the tasks of all nodes, whichever it polls. An empty list means that
// there was nothing. Bad requests are an [*Error] with code "invalid".
func (c *Client) PollTasks(ctx context.Context, poll engine.Poll) ([]engine.Leased, error) {
	if err := c.running(); err != nil {
		return nil, err
	}
	if err := checkPoll(&poll); err != nil {
		return nil, err
	}
	tasks, err := c.engine.Poll(ctx, poll)
	if errors.Is(err, engine.ErrTooManyPolls) || errors.Is(err, engine.ErrNoPolls) {
		return nil, &Error{Code: task.CodeUnavailable, Message: err.Error(), Hint: "poll another node", RetryAfter: 5 * time.Second}
	}
	return tasks, err
}

func checkPoll(poll *engine.Poll) error {
	var c accept.Complaints
	c.Name("worker", poll.Worker)
	checkRelease(&c, poll.Release)
	checkNames(&c, "queues", poll.Queues)
	checkNames(&c, "types", poll.Types)
	if at := slices.Index(poll.Queues, alert.Queue); at >= 0 {
		c.Add(fmt.Sprintf("queues[%d]", at), "the queue "+alert.Queue+" is that of the engine's own alerts", "leave it out")
	}
	if len(poll.Queues) == 0 {
		c.Add("queues", "is empty", "leave it out for the queue default")
	}
	if poll.Types != nil && len(poll.Types) == 0 {
		c.Add("types", "is empty", "leave it out for all types but HTTP requests")
	}
	if poll.Most < 1 || poll.Most > mostPolled {
		c.Add("max", fmt.Sprintf("%d is outside 1 to %d", poll.Most, mostPolled), "")
	}
	if poll.Wait < 0 || poll.Wait > mostPollWait {
		c.Add("wait", poll.Wait.String()+" is outside 0s to 1m0s", "poll again when it is over")
	}
	checkLease(&c, poll.Lease)
	return c.Err("the poll is not valid")
}

// checkRelease checks the name of a release, which may be any text that is short.
func checkRelease(c *accept.Complaints, name string) {
	if len(name) > task.MaxRelease || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		c.Add("release", task.Quote(name)+" is no text of at most "+strconv.Itoa(task.MaxRelease)+" bytes without control characters",
			"a version or a commit is enough")
	}
}

func checkNames(c *accept.Complaints, path string, names []string) {
	if len(names) > mostSubscribed {
		c.Add(path, fmt.Sprintf("has %d names; %d are the limit", len(names), mostSubscribed), "")
		return
	}
	for i, name := range names {
		c.Name(fmt.Sprintf("%s[%d]", path, i), name)
	}
}

func checkLease(c *accept.Complaints, lease time.Duration) {
	if lease < leastLease || lease > mostLease {
		c.Add("lease", lease.String()+" is outside 1s to 1h0m0s", "extend it while the work lasts")
	}
}

// ExtendLeases moves the ends of leases of tasks that remote workers run to lease
// from now, one answer per item: store.StatusOK, with whether the cancel of the task
// was requested, StatusStale or StatusNotFound. Any node can do it.
func (c *Client) ExtendLeases(ctx context.Context, items []engine.Extension, lease time.Duration) ([]store.Extended, error) {
	if err := c.running(); err != nil {
		return nil, err
	}
	var wrong accept.Complaints
	checkLease(&wrong, lease)
	checkCount(&wrong, "items", len(items))
	for i := range items {
		if len(items[i].Progress) > maxProgress {
			wrong.Large(fmt.Sprintf("items[%d].progress", i), "the progress", len(items[i].Progress), maxProgress)
		}
	}
	if err := wrong.Err("the leases cannot be extended"); err != nil {
		return nil, err
	}
	results, err := c.engine.Extend(ctx, items, lease)
	if err != nil {
		return nil, err
	}
	return results, c.tellAbsent(ctx, items, results)
}

// tellAbsent tells tasks that there are not from those that are somebody else's.
func (c *Client) tellAbsent(ctx context.Context, items []engine.Extension, results []store.Extended) error {
	for i := range results {
		if results[i].Status != store.StatusStale {
			continue
		}
		_, err := c.backend.Get(ctx, items[i].ID)
		if known := new(Error); errors.As(err, &known) && known.Code == task.CodeNotFound {
			results[i].Status = store.StatusNotFound
		} else if err != nil {
			return err
		}
	}
	return nil
}

func checkCount(c *accept.Complaints, path string, count int) {
	if count < 1 || count > mostPolled {
		c.Add(path, fmt.Sprintf("has %d entries; 1 to %d are possible", count, mostPolled), "")
	}
}

// SettleTasks ends attempts that remote workers ran, each fenced by its claim
// number, and returns when that is on disk: one answer per ending. A repeat of what
// is recorded for the claim is store.StatusOK. Any node can do it. The error of an
// ending may be one of [RetryAfter], [Snooze], [Dead] and [Cancel], or
// engine.ErrReleased. A result of more than 64 KiB makes its attempt a failure. After an error the call may be repeated as it stands.
func (c *Client) SettleTasks(ctx context.Context, endings []engine.Ending) ([]store.Settled, error) {
	if err := c.running(); err != nil {
		return nil, err
	}
	var wrong accept.Complaints
	checkCount(&wrong, "results", len(endings))
	for i := range endings {
		if err := checkResult(endings[i].Result); err != nil && endings[i].Err == nil {
			endings[i].Err = &badResult{err}
		}
	}
	if err := wrong.Err("the results are not valid"); err != nil {
		return nil, err
	}
	results, err := c.engine.SettleLeased(ctx, endings)
	if errors.Is(err, engine.ErrStopping) || errors.Is(err, engine.ErrNoPolls) {
		return nil, &Error{Code: task.CodeUnavailable, Message: err.Error(), Hint: "tell another node", RetryAfter: time.Second}
	}
	return results, err
}

// runner tells the node and the worker of a holder apart, for messages.
func runner(holder string) string {
	if node, worker, _ := task.Runner(holder); worker != "" {
		return strings.Join([]string{"worker", worker, "by node", node}, " ")
	}
	return "node " + holder
}
