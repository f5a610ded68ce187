package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/server/internal/body"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/task"
)

const batchLimit = 1000

type batchInput struct {
	Trace string `header:"traceparent" doc:"W3C trace context, for tasks without trace_parent."`
	Body  struct {
		Tasks  []json.RawMessage `json:"tasks"` // each is read on its own, so that one bad task does not refuse the others
		Atomic bool              `json:"atomic"`
	}
}

func (c *calls) batch(ctx context.Context, in *batchInput) (*route.Answer[client.BatchResults], error) {
	count := len(in.Body.Tasks)
	switch {
	case count == 0:
		return nil, task.Invalid("tasks", "must have at least one task", "send 1 to 1000")
	case count > batchLimit:
		return nil, &task.Error{Code: task.CodeTooLarge, Message: fmt.Sprintf("%d tasks are more than a batch can have", count),
			Hint: fmt.Sprintf("send at most %d at once", batchLimit), Fields: []task.Field{{Path: "tasks", Message: "too many"}}}
	}
	results := make([]client.BatchResult, count)
	drafts, places, fields := in.drafts(results)
	if in.Body.Atomic && len(fields) > 0 {
		return nil, &task.Error{Code: task.CodeInvalid, Message: "a task of the batch is not valid", Fields: fields, Hint: hintOf(results)}
	}
	if len(drafts) > 0 {
		receipts, err := c.node.EnqueueMany(ctx, drafts, in.Body.Atomic)
		if err != nil {
			return nil, err
		}
		for i, receipt := range receipts {
			results[places[i]] = resultOf(receipt, places[i])
		}
	}
	return route.OK(client.BatchResults{Results: results})
}

// drafts reads the tasks of a batch. Those that cannot be read get their
// result; the others are returned with their places in the batch.
func (in *batchInput) drafts(results []client.BatchResult) (drafts []outlast.Draft, places []int, fields []task.Field) {
	for i, data := range in.Body.Tasks {
		var draft client.Draft
		err := body.Decode(data, &draft, fmt.Sprintf("tasks[%d]", i))
		if err != nil {
			told := problem.Of(err)
			results[i] = client.BatchResult{Status: told.Status, Error: told}
			if len(fields) < problem.MostFields {
				fields = append(fields, told.Errors...)
			}
			continue
		}
		if draft.TraceParent == "" {
			draft.TraceParent = traceParent(in.Trace)
		}
		drafts = append(drafts, draftOf(&draft))
		places = append(places, i)
	}
	return drafts, places, fields
}

// hintOf is the hint of the first task that cannot be read.
func hintOf(results []client.BatchResult) string {
	for i := range results {
		if results[i].Error != nil {
			return results[i].Error.Hint
		}
	}
	return problem.FieldsHint
}

func resultOf(receipt outlast.Receipt, place int) client.BatchResult {
	if receipt.Err != nil {
		told := problem.Of(inBatch(receipt.Err, place))
		return client.BatchResult{Status: told.Status, Error: told}
	}
	status := http.StatusCreated
	if receipt.Existing {
		status = http.StatusOK
	}
	return client.BatchResult{Status: status, ID: receipt.Task.ID}
}

// inBatch gives the complaints of an error their place in the batch.
func inBatch(err error, place int) error {
	prefix := fmt.Sprintf("tasks[%d]", place)
	return problem.Placed(err, func(path string) string {
		if _, after, found := strings.Cut(path, "]"); found && strings.HasPrefix(path, "tasks[") {
			path = strings.TrimPrefix(after, ".")
		}
		if path == "" {
			return prefix
		}
		return prefix + "." + path
	})
}
