package server

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type deadQuery struct {
	taskQuery
	Reason      task.DeadReason `query:"reason" doc:"exhausted, permanent, expired, crash_loop, no_handler or rejected."`
	Fingerprint string          `query:"fingerprint" doc:"Fingerprint of the last error."`
	DiedBefore  client.Time     `query:"died_before" doc:"Died before."`
}

func (q *deadQuery) filter() (store.Filter, error) {
	filter, err := q.taskQuery.filter()
	filter.Reason, filter.Fingerprint, filter.DiedBefore = q.Reason, q.Fingerprint, q.DiedBefore.Time
	return filter, err
}

// scoped is the filter within the token's queues.
func (q *deadQuery) scoped(ctx context.Context) (store.Filter, error) {
	filter, err := q.filter()
	if err != nil {
		return filter, err
	}
	return scopedFilter(ctx, filter)
}

type deadInput struct {
	deadQuery
	Limit  *int   `query:"limit" doc:"Letters per page, 1 to 500, 100 when absent."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}

type redriveInput struct{ Body client.Redrive }

type purgeInput struct{ Body client.Purge }

func (s *Server) addDead() {
	handle(s, route{
		method: "GET", path: "/v1/dead", id: "list-dead", needs: token.View, scope: filtered, tag: "dead letters", answers: []int{200},
		summary: "Find dead letters, newest first", about: "A page may be short or empty and still have a cursor, as those of GET /v1/tasks.",
	}, func(ctx context.Context, in *deadInput) (answer[client.Tasks], error) {
		page, err := pageOf(in.Limit, in.Cursor)
		if err != nil {
			return fail[client.Tasks](err)
		}
		filter, err := in.scoped(ctx)
		if err != nil {
			return fail[client.Tasks](err)
		}
		views, next, err := s.inspect.Letters.Find(ctx, filter, page)
		return tasks(views, next, err)
	})
	handle(s, route{
		method: "GET", path: "/v1/dead/{id}", id: "get-dead", needs: token.View, scope: byTask, tag: "dead letters", answers: []int{200},
		summary: "Get a dead letter with all its attempts", errors: []task.Code{task.CodeNotFound},
	}, s.letter)
	handle(s, route{
		method: "GET", path: "/v1/dead/stats", id: "count-dead", needs: token.View, scope: whole, tag: "dead letters", answers: []int{200}, summary: "Count dead letters",
	}, func(ctx context.Context, _ *none) (answer[client.DeadStats], error) {
		stats, err := s.inspect.Letters.Stats(ctx)
		if err != nil {
			return fail[client.DeadStats](err)
		}
		return ok(client.DeadStats(*stats))
	})
	s.addDeadGroups()
	handle(s, route{
		method: "POST", path: "/v1/dead/redrive", id: "redrive-dead", needs: token.Operate, scope: byBody, tag: "dead letters", answers: []int{202},
		summary: "Send dead letters back to their queues, by ids or by filter",
		about: "A redrive by filter, and one with rate, canary or stop_if_failing, is an operation that survives a restart; follow it under /v1/operations. A dry run only counts, and shows what would go first. " +
			"A filter means letters that are dead when the redrive begins: with the died_before of the dry run, those that were counted.",
		errors: []task.Code{task.CodeConflict},
	}, s.redrive)
	handle(s, route{
		method: "POST", path: "/v1/dead/purge", id: "purge-dead", needs: token.Operate, scope: byBody, tag: "dead letters", answers: []int{200},
		summary: "Delete dead letters for ever, by ids or by filter", about: "An empty filter object means every letter; no filter at all is refused. " +
			"A filter means letters that are dead when the purge begins: with the died_before of the dry run, those that were counted.",
	}, s.purge)
	s.addExport()
}

func (s *Server) letter(ctx context.Context, in *taskID) (answer[client.Letter], error) {
	view, err := s.view(ctx, in.ID)
	if err != nil {
		return fail[client.Letter](err)
	}
	if view.State != task.Dead {
		return fail[client.Letter](&task.Error{Code: task.CodeNotFound, Message: "task " + in.ID.String() + " is no dead letter: it is " + string(view.State),
			State: view.State, Hint: "GET /v1/tasks/" + in.ID.String() + " shows it"})
	}
	attempts, err := s.inspect.Tasks.Attempts(ctx, in.ID)
	if err != nil {
		return fail[client.Letter](err)
	}
	return ok(client.Letter{Task: wireTask(view), Attempts: wireAttempts(attempts)})
}

// chosen refuses a request that names neither ids nor a filter, or both.
func chosen(ids []task.ID, filter *client.DeadFilter) error {
	switch {
	case len(ids) > 0 && filter != nil:
		return task.Invalid("filter", "ids and filter are both given", "give one of them")
	case len(ids) == 0 && filter == nil:
		return task.Invalid("filter", "neither ids nor a filter is given", `the filter {} means every dead letter`)
	}
	return nil
}

// inFilter gives complaints about the filter of a body, an F, their place in it.
func inFilter[F any](err error) error {
	known := strictjson.Names(reflect.TypeFor[F]())
	return placed(err, func(path string) string {
		if slices.Contains(known, path) {
			return "filter." + path
		}
		return path
	})
}

func (s *Server) redrive(ctx context.Context, in *redriveInput) (answer[client.Redriven], error) {
	if err := chosen(in.Body.IDs, in.Body.Filter); err != nil {
		return fail[client.Redriven](err)
	}
	ids, filter, others, err := s.scopedLetters(ctx, in.Body.IDs, deadFilter(in.Body.Filter))
	if err != nil {
		return fail[client.Redriven](err)
	}
	if filter == nil && len(ids) == 0 {
		return ok(client.Redriven{DryRun: in.Body.DryRun, Missing: others})
	}
	result, err := s.inspect.Letters.Redrive(ctx, dead.Request{
		IDs: ids, Filter: filter, DryRun: in.Body.DryRun, Rate: in.Body.Rate,
		Canary: in.Body.Canary, StopIfFailing: in.Body.StopIfFailing, KeepAttempts: in.Body.KeepAttempts, Payload: in.Body.Payload,
	})
	if err != nil {
		return fail[client.Redriven](inFilter[client.DeadFilter](err))
	}
	return ok(client.Redriven{
		Operation: result.Operation, Matched: result.Matched, DryRun: in.Body.DryRun, Missing: append(result.Missing, others...),
		Sample: wireSamples(result.Sample, time.Now()), DiedBefore: wireTime(result.DiedBefore),
	})
}

func (s *Server) purge(ctx context.Context, in *purgeInput) (answer[client.Purged], error) {
	if err := chosen(in.Body.IDs, in.Body.Filter); err != nil {
		return fail[client.Purged](err)
	}
	ids, chosen, _, err := s.scopedLetters(ctx, in.Body.IDs, deadFilter(in.Body.Filter))
	if err != nil {
		return fail[client.Purged](err)
	}
	filter := store.Filter{IDs: ids}
	if chosen != nil {
		filter = *chosen
	} else if len(ids) == 0 {
		return ok(client.Purged{DryRun: in.Body.DryRun})
	}
	result, err := s.inspect.Letters.Purge(ctx, filter, in.Body.DryRun)
	if err != nil {
		return fail[client.Purged](inFilter[client.DeadFilter](err))
	}
	return ok(client.Purged{Matched: result.Matched, DryRun: in.Body.DryRun, DiedBefore: wireTime(result.DiedBefore)})
}

// exportChunk is how much is gathered before it is sent.
const exportChunk = 64 << 10

func (s *Server) addExport() {
	r := route{
		method: "GET", path: "/v1/dead/export", id: "export-dead", needs: token.View, scope: filtered, tag: "dead letters", answers: []int{200}, media: "application/x-ndjson",
		summary: "Export dead letters with their attempts, one JSON object per line",
		about:   "Line ends between the tokens of a payload become spaces; nothing else of it changes. An answer that is cut off is not complete.",
	}
	plan := planOf(reflect.TypeFor[deadQuery](), r)
	s.document(r, plan, reflect.TypeFor[client.Letter]())
	s.serve(r, func(w http.ResponseWriter, req *http.Request) error {
		var in deadQuery
		if err := plan.read(req, reflect.ValueOf(&in).Elem()); err != nil {
			return err
		}
		filter, err := in.scoped(req.Context())
		if err != nil {
			return err
		}
		return s.export(req.Context(), w, filter)
	})
}

func (s *Server) export(ctx context.Context, w http.ResponseWriter, filter store.Filter) error {
	var lines []byte
	flush := func() error {
		deadline(w, answerTimeout)
		w.Header()["Content-Type"] = []string{"application/x-ndjson"}
		w.Header()["Cache-Control"] = noStore
		w.WriteHeader(http.StatusOK)
		_, err := w.Write(lines)
		lines = lines[:0]
		return err
	}
	err := s.inspect.Letters.Export(ctx, filter, func(t *outlast.Task, attempts []outlast.Attempt) error {
		views, err := s.inspect.Tasks.View(ctx, t)
		if err != nil {
			return err
		}
		if lines, err = AppendLetter(lines, views[0], attempts); err != nil || len(lines) < exportChunk {
			return err
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// AppendLetter appends a dead letter as one line of JSON, as the export has it.
func AppendLetter(lines []byte, v *inspect.View, attempts []outlast.Attempt) ([]byte, error) {
	start := len(lines)
	lines, err := client.Append(lines, client.Letter{Task: wireTask(v), Attempts: wireAttempts(attempts)})
	if err != nil {
		return lines[:start], err
	}
	oneLine(lines[start:])
	return append(lines, '\n'), nil
}

// oneLine makes one line of JSON: a raw line end can only stand between
// tokens, never inside a string.
func oneLine(data []byte) {
	for _, end := range []byte{'\n', '\r'} {
		for i := bytes.IndexByte(data, end); i >= 0; i = bytes.IndexByte(data, end) {
			data[i] = ' '
		}
	}
}
