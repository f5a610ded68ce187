package cli

import (
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
)

// Logs is the annotation of a command whose errors go where its log goes.
const Logs = "logs"

// ReportJSON has the error with which the program ends be a record of a JSON log.
func (c *Env) ReportJSON() {
	logger := slog.New(slog.NewJSONHandler(c.Messages, nil))
	c.report = func(line string) { logger.Error("server.failed", slog.String("error", line)) }
}

// logsJSON reports whether a command that logs was told to do so in JSON, by a flag or
// the environment, also where the rest of its command line is wrong.
func (c *Env) logsJSON(cmd *cobra.Command, args []string) bool {
	if cmd.Annotations[Logs] == "" {
		return false
	}
	format, _ := c.Lookup("OUTLAST_LOG_FORMAT")
	for i, arg := range args {
		if value, found := strings.CutPrefix(arg, "--log-format="); found {
			format = value
		} else if arg == "--log-format" && i+1 < len(args) {
			format = args[i+1]
		}
	}
	return format == "json"
}
