package serve

import (
	"context"
	"io"
	"log/slog"
	"path"
	"runtime"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/task"
)

// newLogger makes the log of the program.
func newLogger(w io.Writer, log config.Log) (*slog.Logger, error) {
	threshold, err := parseLevel("--log-level", log.Level)
	if err != nil {
		return nil, err
	}
	options := &slog.HandlerOptions{Level: threshold}
	levels := map[string]slog.Level{}
	for name, text := range log.Levels {
		if levels[name], err = parseLevel("log.levels."+name, text); err != nil {
			return nil, err
		}
		options.Level = min(options.Level.Level(), levels[name])
	}
	var handler slog.Handler
	switch log.Format {
	case "text":
		handler = slog.NewTextHandler(w, options)
	case "json":
		handler = slog.NewJSONHandler(w, options)
	default:
		return nil, cli.Usagef("--log-format must be text or json, not %s", task.Quote(log.Format))
	}
	if len(levels) > 0 {
		handler = &byPackage{handler, threshold, levels}
	}
	return slog.New(handler), nil
}

func parseLevel(name, text string) (slog.Level, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(text)); err != nil {
		return level, cli.Usagef("%s must be debug, info, warn or error, not %s", name, task.Quote(text))
	}
	return level, nil
}

// byPackage lets every package of the program have a level of its own.
type byPackage struct {
	slog.Handler
	usual  slog.Level
	levels map[string]slog.Level
}

// Handle implements [slog.Handler].
func (h *byPackage) Handle(ctx context.Context, r slog.Record) error {
	level, known := h.levels[packageOf(r.PC)]
	if !known {
		level = h.usual
	}
	if r.Level < level {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h *byPackage) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &byPackage{h.Handler.WithAttrs(attrs), h.usual, h.levels}
}

// WithGroup implements [slog.Handler].
func (h *byPackage) WithGroup(name string) slog.Handler {
	return &byPackage{h.Handler.WithGroup(name), h.usual, h.levels}
}

// packageOf is the last part of the package that a record comes from.
func packageOf(pc uintptr) string {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	name := path.Base(frame.Function) // "engine.(*Engine).lose"
	name, _, _ = strings.Cut(name, ".")
	return name
}
