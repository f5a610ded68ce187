package channel

import (
	"context"
	"log/slog"

	"github.com/outlast-dev/outlast/alert"
)

var logKind = kind{
	name: alert.ToLog, title: "Log of the node", titleZH: "节点日志", escaping: "structured, without error texts",
	open: func(_ *alert.ChannelSpec, o *Options) (alert.Channel, error) { return logged{o.Logger}, nil },
}

// logged is the log of the node.
type logged struct{ logger *slog.Logger }

// Probe implements [alerts.Prober].
func (logged) Probe(context.Context) error { return nil }

// Send implements [alert.Channel]: one event at WARN, INFO for a recovery.
// The text of the task's error is left out; the store has it.
func (l logged) Send(ctx context.Context, m *alert.Message) error {
	level := slog.LevelWarn
	if m.Kind == alert.Recovered || m.Severity == alert.Info {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{
		slog.String("rule", m.Rule), slog.String("subject", m.Subject), slog.String("kind", string(m.Kind)), slog.String("text", m.Text),
	}
	if m.HeldBack > 0 {
		attrs = append(attrs, slog.Int("held_back", m.HeldBack), slog.Any("held_back_names", m.Names), slog.Any("held_back_kinds", m.Kinds))
	}
	for _, field := range m.Fields {
		if field.Name != "error" {
			attrs = append(attrs, slog.String(field.Name, field.Value))
		}
	}
	l.logger.LogAttrs(ctx, level, "alert", attrs...)
	return nil
}
