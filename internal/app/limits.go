package app

import (
	"log/slog"

	"github.com/outlast-dev/outlast/server"
)

// limits are those of the configuration. Callers get half of the descriptors at most:
// the store, and the requests of tasks, need theirs.
func (a *App) limits() server.Limits {
	limits, most := a.config.Limits, int(min(descriptors()/2, 1<<30)) //nolint:gosec // it fits
	if limits.Connections == 0 {
		limits.Connections = server.DefaultConnections
	}
	if most > 0 && limits.Connections > most {
		if asked := a.config.Limits.Connections; asked != 0 && asked != server.DefaultConnections {
			a.config.Logger.Warn("limits.lowered", slog.Int("connections", most), slog.Int("asked", limits.Connections),
				slog.String("hint", "half of the descriptors that this process may have: raise ulimit -n, or LimitNOFILE of the unit"))
		}
		limits.Connections = most
	}
	return limits
}
