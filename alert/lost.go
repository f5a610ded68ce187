package alert

import (
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// processes is the subject of all processes that died: those that die one after the
// other share a cool-down.
const processes = "processes"

// holderEnd is a process that held tasks, and how it ended.
type holderEnd struct{ holder, cause string }

// Lost takes the runs that were lost with processes, as one node has taken them over:
// one event for each process.
func (k *Keeper) Lost(rows []store.Recovered) {
	if len(k.book.Load().rules[OnProcess]) == 0 {
		return
	}
	lost := map[holderEnd][]store.Recovered{}
	for i := range rows {
		if r := &rows[i]; r.Cause != "node left" && r.Queue != Queue {
			end := holderEnd{r.Node, r.Cause}
			lost[end] = append(lost[end], *r)
		}
	}
	for end, runs := range lost {
		k.Happened(processDied(end, runs, time.Now()))
	}
}

// processDied describes the end of a process while tasks ran in it.
func processDied(end holderEnd, runs []store.Recovered, at time.Time) *Occurrence {
	node, worker, release := task.Runner(end.holder)
	who := "node " + node
	if worker != "" {
		who = "worker " + worker
	}
	var byType Tallies
	for i := range runs {
		byType.add(Tally{What: runs[i].Type + " in " + who + " (" + end.cause + ")", Count: 1, Names: []string{runs[i].ID.String()}})
	}
	return &Occurrence{
		On: OnProcess, Subject: processes, Held: byType, At: at,
		Text:   lostText(len(runs), byType),
		Values: map[string]any{"node": node, "worker": worker, "tasks": len(runs), "cause": end.cause},
		Fields: fields("node", node, "worker", worker, "release", release, "cause", end.cause, "tasks", strconv.Itoa(len(runs))),
	}
}

// lostText says in a sentence what ended with processes.
func lostText(runs int, kinds Tallies) string {
	return counted(runs, "running task") + " lost with the process: " + strings.Join(kinds.lines()[:min(len(kinds), mostNamed)], "; ")
}
