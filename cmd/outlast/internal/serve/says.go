package serve

import (
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// says is what a server tells of itself: text for people, or records where the log is
// JSON, since a collector reads every line.
type says struct {
	*cli.Env
	logger *slog.Logger // nil for text
}

func (s *says) listens(url, store string) {
	if s.logger != nil {
		s.logger.Info("server.listens", slog.String("version", s.Version), slog.String("url", url), slog.String("store", store))
		return
	}
	s.Say("outlast %s listens on %s (store: %s)", s.Version, url, store)
	s.Say("  try:  outlast task enqueue%s --url https://example.com/hook --payload '{}'", serverFlag(url))
	s.Say("  console: %s/   documentation: %s/docs", url, url)
	s.Say("  API:  %s/openapi.json   health: %s/readyz?verbose   stop: Ctrl-C", url, url)
}

// untold says that systemd does not know that the server listens.
func (s *says) untold(err error) {
	if s.logger != nil {
		s.logger.Warn("server.untold", slog.String("error", err.Error()))
		return
	}
	s.Say("cannot tell systemd that the server listens: %v", err)
}

func (s *says) stopping(grace time.Duration) {
	if s.logger != nil {
		s.logger.Info("server.stopping", slog.Duration("grace", grace))
		return
	}
	s.Say("stopping: running attempts have %s to end; a second signal stops at once", grace)
}

func (s *says) stopped() {
	if s.logger != nil {
		s.logger.Info("server.stopped")
		return
	}
	s.Say("stopped")
}

// serverFlag is what a command needs to find a server that is not where it looks by
// itself.
func serverFlag(url string) string {
	if url == client.DefaultServer {
		return ""
	}
	return " --server " + url
}
