package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/task"
)

type random struct{}

func (random) Uint64() uint64 { return rand.Uint64() } //nolint:gosec // ids need be unique, not secret

// NewID makes an id for a draft.
func NewID() task.ID { return task.NewID(time.Now(), random{}) }

// Enqueue hands a task in. When it returns, the task is on disk. A draft
// without an id gets one, so that a repeat after a lost answer is safe.
// Existing says that the task was there already. A full queue is an [*Error] with
// code queue_full, at once: nothing was accepted, and RetryAfter says when a place
// may be free.
func (c *Client) Enqueue(ctx context.Context, draft Draft) (t *Task, existing bool, err error) {
	if draft.ID.IsZero() {
		draft.ID = NewID()
	}
	t = new(Task)
	status, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/tasks", body: &draft}, t)
	if err != nil {
		return nil, false, err
	}
	return t, status == http.StatusOK, nil
}

// Run hands a task in and waits for its end, at most for the given time. The
// task is returned as it then stands; its state says whether it has ended.
func (c *Client) Run(ctx context.Context, draft Draft, wait time.Duration) (*Task, error) {
	if draft.ID.IsZero() {
		draft.ID = NewID()
	}
	return exchange[Task](ctx, c, call{
		method: http.MethodPost, path: "/v1/tasks", query: url.Values{"wait": {wait.String()}}, body: &draft,
	})
}

// longestWait is how long one call waits for the end of a task: proxies let it live.
const longestWait = 30 * time.Second

// Wait waits for the end of a task, at most for the given time, and returns it as it then
// stands.
func (c *Client) Wait(ctx context.Context, id task.ID, most time.Duration) (*Task, error) {
	end := time.Now().Add(most)
	for {
		left := max(0, time.Until(end))
		t, err := get[Task](ctx, c, taskPath(id), url.Values{"wait": {min(left, longestWait).String()}})
		if err != nil || t.State.Final() || left == 0 {
			return t, err
		}
	}
}

// EnqueueBatch hands in up to 1000 tasks, all or none of them if atomic.
func (c *Client) EnqueueBatch(ctx context.Context, drafts []Draft, atomic bool) ([]BatchResult, error) {
	batch := Batch{Tasks: make([]Draft, len(drafts)), Atomic: atomic}
	for i, draft := range drafts {
		if draft.ID.IsZero() {
			draft.ID = NewID()
		}
		batch.Tasks[i] = draft
	}
	out, err := exchange[BatchResults](ctx, c, call{method: http.MethodPost, path: "/v1/tasks/batch", body: &batch})
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

func taskPath(id task.ID) string { return "/v1/tasks/" + id.String() }

// Task returns a task, whatever its state.
func (c *Client) Task(ctx context.Context, id task.ID) (*Task, error) {
	return get[Task](ctx, c, taskPath(id), nil)
}

// Attempts returns the recorded attempts of a task, oldest first, and what is done of it.
func (c *Client) Attempts(ctx context.Context, id task.ID) (*Attempts, error) {
	return get[Attempts](ctx, c, taskPath(id)+"/attempts", nil)
}

// Tasks returns a page of tasks, newest first. Limit is 1 to 500, 100 when 0.
func (c *Client) Tasks(ctx context.Context, filter Filter, limit int, cursor string) (*Tasks, error) {
	return get[Tasks](ctx, c, "/v1/tasks", filter.query(limit, cursor))
}

// Upcoming returns tasks that failed and will be tried again, the soonest first, of a
// queue or with "" of all. Limit is 1 to 100, 10 when 0.
func (c *Client) Upcoming(ctx context.Context, queue string, limit int) (*Upcoming, error) {
	query := url.Values{}
	if queue != "" {
		query.Set("queue", queue)
	}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return get[Upcoming](ctx, c, "/v1/tasks/upcoming", query)
}

// Cancel cancels a pending task, or asks a running one to stop. How is at most one: without
// it, what the steps of the task have done stays done.
func (c *Client) Cancel(ctx context.Context, id task.ID, how ...Cancellation) (*Task, error) {
	cancel := call{method: http.MethodPost, path: taskPath(id) + "/cancel", once: true}
	if len(how) > 0 && how[0].Compensate {
		cancel.body, cancel.once = &how[0], false
	}
	return exchange[Task](ctx, c, cancel)
}

// Retry runs the next attempt of a task now.
func (c *Client) Retry(ctx context.Context, id task.ID) (*Task, error) {
	return exchange[Task](ctx, c, call{method: http.MethodPost, path: taskPath(id) + "/retry", once: true})
}

// Reschedule moves the next attempt of a pending task.
func (c *Client) Reschedule(ctx context.Context, id task.ID, to Reschedule) (*Task, error) {
	return exchange[Task](ctx, c, call{method: http.MethodPost, path: taskPath(id) + "/reschedule", body: &to, once: true})
}

// Signal gives a task the signal of a name, for which its handler waits or will wait; payload
// is nil for none. It may be repeated as it stands. Code "conflict" for another payload than
// that of the first signal, and for a task that has ended or has waited in vain.
func (c *Client) Signal(ctx context.Context, id task.ID, name string, payload json.RawMessage) (*Signaled, error) {
	signal := call{method: http.MethodPost, path: taskPath(id) + "/signals/" + url.PathEscape(name)}
	if len(payload) > 0 {
		signal.body = payload
	}
	return exchange[Signaled](ctx, c, signal)
}

// Dead returns a page of dead letters, newest first.
func (c *Client) Dead(ctx context.Context, filter Filter, limit int, cursor string) (*Tasks, error) {
	return get[Tasks](ctx, c, "/v1/dead", filter.query(limit, cursor))
}

// Letter returns a dead letter with all its attempts.
func (c *Client) Letter(ctx context.Context, id task.ID) (*Letter, error) {
	return get[Letter](ctx, c, "/v1/dead/"+id.String(), nil)
}

// DeadStats counts dead letters.
func (c *Client) DeadStats(ctx context.Context) (*DeadStats, error) {
	return get[DeadStats](ctx, c, "/v1/dead/stats", nil)
}

// DeadGroups groups dead letters by fingerprint, most first.
func (c *Client) DeadGroups(ctx context.Context, filter Filter, limit int) ([]DeadGroup, error) {
	out, err := get[DeadGroups](ctx, c, "/v1/dead/groups", filter.query(limit, ""))
	if err != nil {
		return nil, err
	}
	return out.Groups, nil
}

// Redrive sends dead letters back to their queues.
func (c *Client) Redrive(ctx context.Context, request Redrive) (*Redriven, error) {
	return exchange[Redriven](ctx, c, call{method: http.MethodPost, path: "/v1/dead/redrive", body: &request, once: !request.DryRun})
}

// Bulk cancels, retries or reschedules many tasks.
func (c *Client) Bulk(ctx context.Context, request Bulk) (*Bulked, error) {
	return exchange[Bulked](ctx, c, call{method: http.MethodPost, path: "/v1/tasks/bulk", body: &request, once: !request.DryRun})
}

// RunDue works once what is due, and returns when that has come to an end. Where another such
// call works on the node it is an [*Error] with code conflict. It is not repeated after a lost
// answer.
func (c *Client) RunDue(ctx context.Context, due Due) (*DueCounts, error) {
	return exchange[DueCounts](ctx, c, call{method: http.MethodPost, path: "/v1/tasks/run_due", body: &due, once: true})
}

// Purge deletes dead letters for ever.
func (c *Client) Purge(ctx context.Context, request Purge) (*Purged, error) {
	return exchange[Purged](ctx, c, call{method: http.MethodPost, path: "/v1/dead/purge", body: &request, once: !request.DryRun})
}

// Export calls each with one line of JSON, without its line end, per dead
// letter: a [Letter]. The line is valid until each returns.
func (c *Client) Export(ctx context.Context, filter Filter, each func(line []byte) error) error {
	resp, err := c.send(ctx, call{method: http.MethodGet, path: "/v1/dead/export", query: filter.query(0, "")}, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		if !json.Valid(lines.Bytes()) {
			return c.lost(ctx, io.ErrUnexpectedEOF)
		}
		if err := each(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return fmt.Errorf("client: a dead letter of more than %d bytes: %w", maxAnswer, err)
		}
		return c.lost(ctx, err)
	}
	return nil
}

func operationPath(id string) string { return "/v1/operations/" + url.PathEscape(id) }

// Operations lists operations, newest first.
func (c *Client) Operations(ctx context.Context) ([]Operation, error) {
	out, err := get[Operations](ctx, c, "/v1/operations", nil)
	if err != nil {
		return nil, err
	}
	return out.Operations, nil
}

// Operation returns an operation with its progress.
func (c *Client) Operation(ctx context.Context, id string) (*Operation, error) {
	return get[Operation](ctx, c, operationPath(id), nil)
}

// OperationItems returns a page of the report of an operation: what has become of
// each of its letters or tasks, in the order in which they go.
func (c *Client) OperationItems(ctx context.Context, id string, limit int, cursor string) (*OperationItems, error) {
	query := url.Values{}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return get[OperationItems](ctx, c, operationPath(id)+"/items", query)
}

// PauseOperation pauses an operation.
func (c *Client) PauseOperation(ctx context.Context, id string) (*Operation, error) {
	return exchange[Operation](ctx, c, call{method: http.MethodPost, path: operationPath(id) + "/pause", once: true})
}

// ResumeOperation resumes a paused operation.
func (c *Client) ResumeOperation(ctx context.Context, id string) (*Operation, error) {
	return exchange[Operation](ctx, c, call{method: http.MethodPost, path: operationPath(id) + "/resume", once: true})
}

// CancelOperation cancels an operation; what it has done stays done.
func (c *Client) CancelOperation(ctx context.Context, id string) (*Operation, error) {
	return exchange[Operation](ctx, c, call{method: http.MethodPost, path: operationPath(id) + "/cancel", once: true})
}

func queuePath(name string) string { return "/v1/queues/" + url.PathEscape(name) }

// Queues lists queues by name.
func (c *Client) Queues(ctx context.Context) ([]Queue, error) {
	out, err := get[Queues](ctx, c, "/v1/queues", nil)
	if err != nil {
		return nil, err
	}
	return out.Queues, nil
}

// Queue returns a queue.
func (c *Client) Queue(ctx context.Context, name string) (*Queue, error) {
	return get[Queue](ctx, c, queuePath(name), nil)
}

// DeadGroup returns one group of dead letters with its trend.
func (c *Client) DeadGroup(ctx context.Context, fingerprint string) (*DeadGroup, error) {
	return get[DeadGroup](ctx, c, "/v1/dead/groups/"+url.PathEscape(fingerprint), nil)
}

// PutQueue creates a queue or changes one.
func (c *Client) PutQueue(ctx context.Context, name string, change QueueChange) (*Queue, error) {
	return exchange[Queue](ctx, c, call{method: http.MethodPut, path: queuePath(name), body: &change})
}

// PauseQueue pauses or resumes a queue.
func (c *Client) PauseQueue(ctx context.Context, name string, paused bool) (*Queue, error) {
	verb := "/resume"
	if paused {
		verb = "/pause"
	}
	return exchange[Queue](ctx, c, call{method: http.MethodPost, path: queuePath(name) + verb})
}

// BlockedKeys lists ordering keys that dead letters block, of a queue or with "" of all:
// those that tasks wait behind, or with all those too that nobody waits for.
func (c *Client) BlockedKeys(ctx context.Context, queue string, all bool, limit int, cursor string) (*BlockedKeys, error) {
	values := (&Filter{DeadFilter: DeadFilter{Queue: queue}}).query(limit, cursor)
	if all {
		values.Set("all", "true")
	}
	return get[BlockedKeys](ctx, c, "/v1/keys", values)
}

// QueueShares lists share keys of a queue, those first of which the most waits, as the
// node that is asked knows them; limit 0 for 100.
func (c *Client) QueueShares(ctx context.Context, queue string, limit int) (*QueueShares, error) {
	return get[QueueShares](ctx, c, queuePath(queue)+"/shares", (&Filter{}).query(limit, ""))
}

// ReleaseKey lets the tasks behind a dead one of an ordering key go on; the
// dead letter stays. It reports whether the key was blocked.
func (c *Client) ReleaseKey(ctx context.Context, queue, key string) (bool, error) {
	answer, err := exchange[KeyReleased](ctx, c, call{method: http.MethodPost, path: queuePath(queue) + "/release-key", body: &KeyRelease{Key: key}, once: true})
	if err != nil {
		return false, err
	}
	return answer.Released, nil
}

// Ready returns whether the server is ready, and with checks what each of them says.
// Only the checks need a token.
func (c *Client) Ready(ctx context.Context, checks bool) (*Health, error) {
	request := call{method: http.MethodGet, path: "/readyz", accept: http.StatusServiceUnavailable}
	if checks {
		request.query = url.Values{"verbose": {"true"}}
	}
	return exchange[Health](ctx, c, request)
}

func (f *Filter) query(limit int, cursor string) url.Values {
	values := url.Values{}
	for name, text := range map[string]string{
		"state": f.State, "waiting": f.Waiting, "type": f.Type, "queue": f.Queue, "key": f.Key, "category": f.Category, "trace": f.Trace,
		"reason": f.Reason, "fingerprint": f.Fingerprint, "target": f.Target, "q": f.Q, "cursor": cursor,
	} {
		if text != "" {
			values.Set(name, text)
		}
	}
	for name, value := range f.Metadata {
		values.Add("metadata", name+":"+value)
	}
	if f.AttemptMin != 0 {
		values.Set("attempt_min", strconv.Itoa(f.AttemptMin))
	}
	for name, at := range map[string]Time{"since": f.Since, "until": f.Until, "died_before": f.DiedBefore, "failed_since": f.FailedSince, "failed_until": f.FailedUntil} {
		if !at.IsZero() {
			values.Set(name, at.UTC().Format(timeLayout))
		}
	}
	if limit != 0 {
		values.Set("limit", strconv.Itoa(limit))
	}
	return values
}

func taskGroupPath(id task.ID) string { return "/v1/task-groups/" + id.String() }

// CreateTaskGroup makes a group of tasks. A draft without an id gets one, so that a repeat after a
// lost answer is safe.
func (c *Client) CreateTaskGroup(ctx context.Context, draft TaskGroupDraft) (*TaskGroup, error) {
	if draft.ID.IsZero() {
		draft.ID = NewID()
	}
	return exchange[TaskGroup](ctx, c, call{method: http.MethodPost, path: "/v1/task-groups", body: &draft})
}

// TaskGroup returns a group of tasks with its members by outcome.
func (c *Client) TaskGroup(ctx context.Context, id task.ID) (*TaskGroup, error) {
	return get[TaskGroup](ctx, c, taskGroupPath(id), nil)
}

// TaskGroups returns a page of groups of tasks in a state, or with "" of all, newest first. Limit
// is 1 to 500, 100 when 0.
func (c *Client) TaskGroups(ctx context.Context, state task.GroupState, limit int, cursor string) (*TaskGroups, error) {
	query := (&Filter{}).query(limit, cursor)
	if state != "" {
		query.Set("state", string(state))
	}
	return get[TaskGroups](ctx, c, "/v1/task-groups", query)
}

// CloseTaskGroup says that no more members come to a group of tasks. A repeat does nothing.
func (c *Client) CloseTaskGroup(ctx context.Context, id task.ID) (*TaskGroup, error) {
	return exchange[TaskGroup](ctx, c, call{method: http.MethodPost, path: taskGroupPath(id) + "/close"})
}
