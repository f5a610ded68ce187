package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

const (
	waitLimit = 10 * time.Minute
	pageLimit = 500

	upcomingLimit = 100
)

type taskID struct {
	ID task.ID `path:"id" doc:"Id of the task."`
}

type enqueueInput struct {
	Wait  client.Duration `query:"wait" doc:"Wait this long for the end of the task, at most 10m."`
	Trace string          `header:"traceparent" doc:"W3C trace context, for a body without trace_parent."`
	Body  client.Draft
}

type taskQuery struct {
	State       task.State  `query:"state" doc:"pending, running, succeeded, dead or canceled; or failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given."`
	Type        string      `query:"type"`
	Queue       string      `query:"queue"`
	Key         string      `query:"key" doc:"Ordering key."`
	Category    string      `query:"category" doc:"Category of the last error."`
	Trace       string      `query:"trace" doc:"Trace id."`
	Since       client.Time `query:"since" doc:"Created at or after."`
	Until       client.Time `query:"until" doc:"Created before."`
	FailedSince client.Time `query:"failed_since" doc:"Failed last at or after; the newest failure comes first."`
	FailedUntil client.Time `query:"failed_until" doc:"Failed last before; the newest failure comes first."`
	Target      string      `query:"target"`
	AttemptMin  int         `query:"attempt_min" doc:"With at least so many attempts."`
	Metadata    []string    `query:"metadata" doc:"name:value; repeatable, all must be there."`
	Q           string      `query:"q" doc:"The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message."`
}

func (q *taskQuery) filter() (store.Filter, error) {
	metadata, err := metadataOf(q.Metadata)
	return store.Filter{
		State: q.State, Type: q.Type, Queue: q.Queue, Key: q.Key, Category: q.Category, Trace: q.Trace, Since: q.Since.Time, Until: q.Until.Time,
		FailedSince: q.FailedSince.Time, FailedUntil: q.FailedUntil.Time,
		Target: q.Target, AttemptMin: q.AttemptMin, Metadata: metadata, Search: q.Q,
	}, err
}

// metadataOf reads pairs of name and value; only the first colon parts them.
func metadataOf(pairs []string) (map[string]string, error) {
	metadata := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, ":")
		if _, twice := metadata[name]; twice || !ok || name == "" || !utf8.ValidString(pair) || strings.ContainsRune(pair, 0) {
			return nil, task.Invalid("metadata", "is not name:value in UTF-8, each name once", "metadata=region:eu")
		}
		metadata[name] = value
	}
	return metadata, nil
}

type listInput struct {
	taskQuery
	Waiting string `query:"waiting" doc:"Pending tasks that wait for this reason, as their field waiting says it, such as key blocked."`
	Limit   *int   `query:"limit" doc:"Tasks per page, 1 to 500, 100 when absent."`
	Cursor  string `query:"cursor" doc:"next_cursor of the page before."`
}

type upcomingInput struct {
	Queue string `query:"queue"`
	Limit *int   `query:"limit" doc:"Tasks, 1 to 100, 10 when absent."`
}

type rescheduleInput struct {
	taskID
	Body client.Reschedule `optional:"refused"`
}

func (s *Server) addTasks() {
	handle(s, route{
		method: "POST", path: "/v1/tasks", id: "enqueue-task", needs: token.Enqueue, scope: byBody, tag: "tasks", answers: []int{201, 200, 202},
		summary: "Enqueue a task",
		about: "201 with the new task, which is on disk; 200 with the task that was there, for a repeated id or dedupe key of the same content. " +
			"With wait: 200 with the finished task, or 202 with the task as it stands when the time is over.",
		errors: []task.Code{task.CodeDedupeConflict, task.CodeIDConflict, task.CodeQueueFull, task.CodeDedupeBusy, task.CodeNotFound},
	}, s.enqueue)
	handle(s, route{
		method: "POST", path: "/v1/tasks/batch", id: "enqueue-batch", needs: token.Enqueue, scope: byBody, tag: "tasks", answers: []int{200},
		limit: maxBatch, request: reflect.TypeFor[client.Batch](),
		summary: "Enqueue up to 1000 tasks", about: "With atomic all or none: one bad task refuses the batch. Otherwise each has its own result, in the same order.",
		errors: []task.Code{task.CodeDedupeConflict, task.CodeIDConflict, task.CodeQueueFull, task.CodeNotFound},
	}, s.enqueueBatch)
	handle(s, route{
		method: "GET", path: "/v1/tasks", id: "list-tasks", needs: token.View, scope: filtered, tag: "tasks", answers: []int{200},
		summary: "Find tasks, newest first", about: "With state=failed, failed_since or failed_until, the newest failure comes first. A page may be short or empty and still have a cursor: filters without an index read a bounded number of rows per call, and a page ends with the task that makes it 8 MiB.",
	}, s.listTasks)
	handle(s, route{
		method: "GET", path: "/v1/tasks/upcoming", id: "list-upcoming", needs: token.View, scope: filtered, tag: "tasks", answers: []int{200},
		summary: "List tasks that failed and will be tried again, the soonest first",
		about:   "By the time of the next attempt, or when the target that holds a task back is asked again; behind them tasks that wait for something else, such as one of a paused queue. However much waits, a bounded part of it is looked at: complete says whether that was enough.",
	}, s.listUpcoming)
	handle(s, route{
		method: "GET", path: "/v1/tasks/{id}", id: "get-task", needs: token.Follow, scope: byTask, tag: "tasks", answers: []int{200},
		summary: "Get a task, whatever its state", errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *taskID) (answer[client.Task], error) {
		return oneTask(s.view(ctx, in.ID))
	})
	handle(s, route{
		method: "GET", path: "/v1/tasks/{id}/attempts", id: "list-attempts", needs: token.View, scope: byTask, tag: "tasks", answers: []int{200},
		summary: "List the attempts of a task, oldest first", errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *taskID) (answer[client.Attempts], error) {
		attempts, err := s.inspect.Tasks.Attempts(ctx, in.ID)
		if err != nil {
			return fail[client.Attempts](err)
		}
		return ok(client.Attempts{Attempts: wireAttempts(attempts)})
	})
	s.addTaskActions()
	s.addBulk()
}

func (s *Server) addTaskActions() {
	action := route{method: "POST", needs: token.Operate, scope: byTask, tag: "tasks", answers: []int{200}, errors: []task.Code{task.CodeNotFound, task.CodeConflict}}
	cancel, again, move := action, action, action
	cancel.path, cancel.id, cancel.summary = "/v1/tasks/{id}/cancel", "cancel-task", "Cancel a pending task, or ask a running one to stop"
	again.path, again.id, again.summary = "/v1/tasks/{id}/retry", "retry-task", "Run the next attempt now"
	move.path, move.id, move.summary = "/v1/tasks/{id}/reschedule", "reschedule-task", "Move the next attempt of a pending task"
	handle(s, cancel, func(ctx context.Context, in *taskID) (answer[client.Task], error) {
		return oneTask(s.inspect.Tasks.Cancel(ctx, in.ID))
	})
	handle(s, again, func(ctx context.Context, in *taskID) (answer[client.Task], error) {
		return oneTask(s.inspect.Tasks.RetryNow(ctx, in.ID))
	})
	handle(s, move, func(ctx context.Context, in *rescheduleInput) (answer[client.Task], error) {
		at, delay := in.Body.RunAt.Time, in.Body.Delay
		switch {
		case at.IsZero() && delay == nil:
			return fail[client.Task](task.Invalid("run_at", "run_at or delay is required", "to run it now, use POST /v1/tasks/{id}/retry"))
		case !at.IsZero() && delay != nil:
			return fail[client.Task](task.Invalid("delay", "delay and run_at are both given", "give one of them"))
		case delay != nil && *delay < 0:
			return fail[client.Task](task.Invalid("delay", "must not be negative", "0s is now"))
		case delay != nil:
			at = time.Now().Add(time.Duration(*delay))
		}
		return oneTask(s.inspect.Tasks.Reschedule(ctx, in.ID, at))
	})
}

func oneTask(view *inspect.View, err error) (answer[client.Task], error) {
	if err != nil {
		return fail[client.Task](err)
	}
	return ok(wireTask(view))
}

func (s *Server) enqueue(ctx context.Context, in *enqueueInput) (answer[client.Task], error) {
	if in.Wait < 0 || time.Duration(in.Wait) > waitLimit {
		return fail[client.Task](task.Invalid("wait", fmt.Sprintf("must be 0 to %s, not %s", waitLimit, in.Wait), "wait again with GET /v1/tasks/{id}"))
	}
	if in.Body.TraceParent == "" {
		in.Body.TraceParent = traceParent(in.Trace)
	}
	receipt, err := s.client.Enqueue(ctx, draftOf(&in.Body))
	if err != nil {
		return fail[client.Task](err)
	}
	out := answer[client.Task]{Status: http.StatusCreated, Location: "/v1/tasks/" + receipt.Task.ID.String()}
	if receipt.Existing {
		out.Status = http.StatusOK
	}
	if in.Wait > 0 {
		return s.wait(ctx, receipt.Task, time.Duration(in.Wait), out)
	}
	return s.shown(ctx, receipt.Task, out)
}

// wait answers with the finished task, or with the task as it stands.
func (s *Server) wait(ctx context.Context, t *outlast.Task, d time.Duration, out answer[client.Task]) (answer[client.Task], error) {
	waiting, cancel := context.WithTimeoutCause(ctx, d, errWaited)
	defer cancel()
	out.Status = http.StatusOK
	finished, err := s.client.Wait(waiting, t.ID)
	if err == nil {
		return s.shown(ctx, finished, out)
	}
	var dead *outlast.DeadError
	if !errors.As(err, &dead) && waiting.Err() == nil {
		return fail[client.Task](err)
	}
	// The request may have ended because the server stops: its caller is told.
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer end()
	view, err := s.view(ctx, t.ID)
	if err != nil {
		return fail[client.Task](err)
	}
	if !view.State.Final() {
		out.Status = http.StatusAccepted
	}
	body := wireTask(view)
	out.Body = &body
	return out, nil
}

var errWaited = errors.New("the time of ?wait is over")

func (s *Server) shown(ctx context.Context, t *outlast.Task, out answer[client.Task]) (answer[client.Task], error) {
	views, err := s.inspect.Tasks.View(ctx, t)
	if err != nil {
		return fail[client.Task](err)
	}
	body := wireTask(views[0])
	out.Body = &body
	return out, nil
}

// traceParent drops a header that is not in the form of W3C trace context: it
// was not meant for us, and must not spoil the enqueue.
func traceParent(header string) string {
	if len(header) < 55 || len(header) > 512 || header[2] != '-' || header[35] != '-' || header[52] != '-' ||
		header[:2] == "ff" || header[:2] == "00" && len(header) > 55 || len(header) > 55 && header[55] != '-' ||
		strings.Trim(header[3:35], "0") == "" || strings.Trim(header[36:52], "0") == "" {
		return ""
	}
	for i, c := range []byte(header) {
		if (c != '-' || i != 2 && i != 35 && i < 52) && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ""
		}
	}
	return header
}

func (s *Server) listTasks(ctx context.Context, in *listInput) (answer[client.Tasks], error) {
	page, err := pageOf(in.Limit, in.Cursor)
	if err != nil {
		return fail[client.Tasks](err)
	}
	filter, err := in.filter()
	if err == nil {
		filter, err = scopedFilter(ctx, filter)
	}
	if err != nil {
		return fail[client.Tasks](err)
	}
	if in.Waiting != "" {
		return tasks(s.inspect.Tasks.FindWaiting(ctx, task.Waiting(in.Waiting), filter, page))
	}
	views, next, err := s.inspect.Tasks.Find(ctx, filter, page)
	return tasks(views, next, err)
}

func (s *Server) listUpcoming(ctx context.Context, in *upcomingInput) (answer[client.Upcoming], error) {
	limit := 0
	if in.Limit != nil {
		if limit = *in.Limit; limit < 1 || limit > upcomingLimit {
			return fail[client.Upcoming](task.Invalid("limit", fmt.Sprintf("must be 1 to %d, not %d", upcomingLimit, limit), "there are no more pages: GET /v1/tasks has all tasks"))
		}
	}
	queues, err := scopedQueues(ctx, in.Queue)
	if err != nil {
		return fail[client.Upcoming](err)
	}
	views, complete, err := s.inspect.Tasks.Upcoming(ctx, queues, limit)
	if err != nil {
		return fail[client.Upcoming](err)
	}
	return ok(client.Upcoming{Tasks: wireTasks(views), Complete: complete})
}

func tasks(views []*inspect.View, next string, err error) (answer[client.Tasks], error) {
	if err != nil {
		return fail[client.Tasks](err)
	}
	return ok(client.Tasks{Tasks: wireTasks(views), NextCursor: next})
}

func pageOf(limit *int, cursor string) (store.Page, error) {
	page := store.Page{Cursor: cursor}
	if limit != nil {
		if page.Limit = *limit; page.Limit < 1 || page.Limit > pageLimit {
			return page, task.Invalid("limit", fmt.Sprintf("must be 1 to %d, not %d", pageLimit, page.Limit), "follow next_cursor for more")
		}
	}
	return page, nil
}
