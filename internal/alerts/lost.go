package alerts

import (
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// processes is the subject of all processes that died: those that die one after the
// other share a cool-down.
const processes = "processes"

// HolderEnd is a process that held tasks, and how it ended.
type HolderEnd struct{ Holder, Cause string }

// ProcessDied describes the end of a process while tasks ran in it.
func ProcessDied(end HolderEnd, runs []store.Recovered, at time.Time) *Occurrence {
	node, worker, release := task.Runner(end.Holder)
	who := "node " + node
	if worker != "" {
		who = "worker " + worker
	}
	var byType alert.Tallies
	for i := range runs {
		AddTallies(&byType, alert.Tally{What: runs[i].Type + " in " + who + " (" + end.Cause + ")", Count: 1, Names: []string{runs[i].ID.String()}})
	}
	return &Occurrence{
		On: alert.OnProcess, Subject: processes, Held: byType, At: at,
		Text:   LostText(len(runs), byType),
		Values: map[string]any{"node": node, "worker": worker, "tasks": len(runs), "cause": end.Cause},
		Fields: Fields("node", node, "worker", worker, "release", release, "cause", end.Cause, "tasks", strconv.Itoa(len(runs))),
	}
}

// LostText says in a sentence what ended with processes.
func LostText(runs int, kinds alert.Tallies) string {
	return plaintext.Counted(runs, "running task") + " lost with the process: " + strings.Join(kinds.Lines()[:min(len(kinds), MostNamed)], "; ")
}
