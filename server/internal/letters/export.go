package letters

import (
	"context"
	"net/http"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
)

// exportChunk is how much is gathered before it is sent.
const exportChunk = 64 << 10

func (c *calls) addExport(to *route.Table) {
	route.Stream[deadQuery, client.Letter](to, route.Route{
		Method: "GET", Path: "/v1/dead/export", ID: "export-dead", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "dead letters", Media: "application/x-ndjson",
		Summary: "Export dead letters with their attempts and steps, one JSON object per line",
		About:   "Line ends between the tokens of a payload become spaces; nothing else of it changes. An answer that is cut off is not complete.",
	}, func(w http.ResponseWriter, req *http.Request, in *deadQuery) error {
		filter, err := in.scoped(req.Context())
		if err != nil {
			return err
		}
		return c.export(req.Context(), w, filter)
	})
}

func (c *calls) export(ctx context.Context, w http.ResponseWriter, filter store.Filter) error {
	var lines []byte
	flush := func() error {
		route.Deadline(w, route.AnswerTimeout)
		w.Header()["Content-Type"] = []string{"application/x-ndjson"}
		w.Header()["Cache-Control"] = route.NoStore
		w.WriteHeader(http.StatusOK)
		_, err := w.Write(lines)
		lines = lines[:0]
		return err
	}
	err := c.letters.Export(ctx, filter, func(letter inspect.Letter) error {
		views, err := c.tasks.View(ctx, letter.Task)
		if err != nil {
			return err
		}
		views[0].Steps = letter.Steps
		if lines, err = wire.AppendLetter(lines, views[0], letter.Attempts); err != nil || len(lines) < exportChunk {
			return err
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}
