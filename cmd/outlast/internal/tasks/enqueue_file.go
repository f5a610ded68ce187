package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
	"github.com/outlast-dev/outlast/task"
)

// Sizes of one batch.
const (
	batchTasks = 1000
	batchBytes = 8 << 20
)

// waited shows a task that was waited for.
func waited(c *cli.Env, t *client.Task, err error) error {
	if err != nil {
		return err
	}
	if err := taskview.Show(c, t); err != nil {
		return err
	}
	switch {
	case t.State == task.Succeeded:
		return nil
	case t.State.Final():
		return fmt.Errorf("the task ended as %s %s", t.State, t.DeadReason)
	}
	return &task.Error{Code: task.CodeUnavailable, Message: "the task has not ended; it is " + string(t.State)}
}

// enqueueFile sends drafts as they stand in a file, so that the server's
// verdict is the only one.
func enqueueFile(ctx context.Context, c *cli.Env, api *client.Client, f *enqueueFlags) error {
	if err := cli.FileAlone(f.cmd, "atomic", "wait", "within"); err != nil {
		return err
	}
	data, err := c.ReadFile(f.file)
	if err != nil {
		return err
	}
	drafts, err := split(data)
	if err != nil {
		return err
	}
	if len(drafts) == 1 && !f.atomic {
		var t *client.Task
		err := enqueueWithin(ctx, c, f, unlessIDs, func(ctx context.Context) (err error) {
			t, err = api.EnqueueRaw(ctx, drafts[0], f.wait)
			return err
		})
		if err == nil && f.wait > 0 {
			return waited(c, t, nil)
		}
		if err != nil {
			return err
		}
		return taskview.Show(c, t)
	}
	if f.wait > 0 {
		return cli.Usagef("--wait works with one task only")
	}
	if f.atomic && len(drafts) > batchTasks {
		return cli.Usagef("%d tasks are too many for one atomic batch; the limit is %d", len(drafts), batchTasks)
	}
	return enqueueBatches(ctx, c, api, drafts, f)
}

// unlessIDs says how to repeat a file of which no answer came.
const unlessIDs = "repeat the command if the tasks in the file have ids; otherwise look for them first"

// split cuts a file into its JSON values. A single broken one is left for
// the server to refuse.
func split(data []byte) ([]json.RawMessage, error) {
	var drafts []json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		var draft json.RawMessage
		err := decoder.Decode(&draft)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && len(drafts) == 0 {
			return []json.RawMessage{data}, nil
		}
		if err != nil {
			return nil, cli.Usagef("value %d is not JSON; nothing was sent", len(drafts)+1)
		}
		drafts = append(drafts, draft)
	}
	if len(drafts) == 0 {
		return nil, cli.Usagef("the file contains no task")
	}
	return drafts, nil
}

func enqueueBatches(ctx context.Context, c *cli.Env, api *client.Client, drafts []json.RawMessage, f *enqueueFlags) error {
	all := client.BatchResults{Results: make([]client.BatchResult, 0, len(drafts))}
	refused := 0
	var failure error
	for len(drafts) > 0 && failure == nil {
		count, size := 0, 0
		for count < len(drafts) && count < batchTasks && (count == 0 || f.atomic || size+len(drafts[count]) < batchBytes) {
			size += len(drafts[count])
			count++
		}
		var results []client.BatchResult
		failure = enqueueWithin(ctx, c, f, unlessIDs, func(ctx context.Context) (err error) {
			results, err = api.EnqueueRawBatch(ctx, drafts[:count], f.atomic)
			return err
		})
		drafts = drafts[count:]
		all.Results = append(all.Results, results...)
	}
	for i := range all.Results {
		if problem := all.Results[i].Error; problem != nil {
			refused++
			c.Say("task %d: %s", i+1, cli.Clean(problem.Error()))
		}
	}
	if len(all.Results) > 0 {
		if err := cli.List(c, &all, all.Results, func(w io.Writer) {
			cli.Row(w, "STATUS", "ID")
			for _, result := range all.Results {
				id := ""
				if result.Error == nil {
					id = result.ID.String()
				}
				cli.Row(w, result.Status, id)
			}
		}); err != nil {
			return err
		}
	}
	switch accepted := len(all.Results) - refused; {
	case failure != nil && accepted == 0:
		return failure
	case failure != nil:
		return cli.Partialf("%d tasks were accepted, then: %s", accepted, failure)
	case refused > 0 && accepted > 0:
		return cli.Partialf("%d of %d tasks were refused", refused, len(all.Results))
	case refused > 0:
		return definite(all.Results[0].Error)
	}
	return nil
}
