package dead

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

// mostLoggedTypes bounds one log line; the types with most letters come first.
const mostLoggedTypes = 50

// stats logs how many dead letters there are.
type stats struct {
	every   time.Duration
	backlog int
	backend store.Backend
	node    Node
	log     *slog.Logger
}

func newStats(config Config, backend store.Backend, node Node, log *slog.Logger) stats {
	return stats{every: config.StatsEvery, backlog: config.Backlog, backend: backend, node: node, log: log}
}

func (s *stats) run(ctx context.Context) {
	for background.Idle(ctx, s.every) {
		if firstAlive(s.node) {
			s.runOnce(ctx)
		}
	}
}

func (s *stats) runOnce(ctx context.Context) {
	letters, err := s.backend.DeadStats(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Error("dead.stats_failed", "error", err)
		}
		return
	}
	level := slog.LevelInfo
	if letters.Total >= s.backlog {
		level = slog.LevelWarn
	}
	s.log.LogAttrs(ctx, level, "dead.stats", slog.Int("total", letters.Total), byCount("by_type", letters.ByType), byCount("by_reason", letters.ByReason))
}

// byCount is a group of counts, the largest first.
func byCount(name string, counts map[string]int) slog.Attr {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	names = names[:min(len(names), mostLoggedTypes)]
	attrs := make([]slog.Attr, len(names))
	for i, one := range names {
		attrs[i] = slog.Int(one, counts[one])
	}
	return slog.Attr{Key: name, Value: slog.GroupValue(attrs...)}
}
