package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// However many types nobody can start, the log has one line a minute for their queue,
// with their number and the first of them.
func TestTypesWithoutAWorkerAreToldTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		var log bytes.Buffer
		w.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		e := w.node("a", &registry{}, nil)
		for i := range 200 {
			w.enqueue(e, fmt.Sprintf("type%03d", i), nil)
		}
		time.Sleep(150 * time.Second)
		w.stop(e)
		lines, first := 0, ""
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, "task.no_worker") {
				lines, first = lines+1, line
			}
		}
		if lines < 1 || lines > 3 || !strings.Contains(first, "types=200") || !strings.Contains(first, "type000") || strings.Contains(first, "type010") {
			t.Errorf("%d lines in two minutes and a half, the last one %s", lines, first)
		}
	})
}

// A task of which the store cannot read what was asked dies, and never runs.
func TestUnreadableTaskDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("a", &registry{handlers: map[string]engine.Handler{"t": func(context.Context, *engine.Run) ([]byte, error) {
			t.Error("it runs")
			return nil, nil
		}}}, nil)
		id := w.enqueue(e, "t", func(i *store.Insert) { i.Task.Spec.Unreadable = "garbage" })
		time.Sleep(time.Second)
		if got := w.get(id); got.State != task.Dead || got.DeadReason != task.Permanent || got.Attempt != 0 || got.LastError.Message != "garbage" {
			t.Errorf("%+v, %+v", got, got.LastError)
		}
		w.stop(e)
	})
}
