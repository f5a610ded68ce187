package alerts

import (
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/plaintext"
)

// resources is the subject of all nodes that lack something: they share a cool-down.
const resources = "resources"

// lacks says what a node lacks, by the system's code.
var lacks = map[string]string{
	"EMFILE": "file descriptors (the limit of the process)", "ENFILE": "file descriptors (the limit of the machine)",
	"ENOBUFS": "memory for connections", "ENOMEM": "memory", "EADDRNOTAVAIL": "local ports",
}

// Exhausted describes what a node lacks.
func Exhausted(node, code string, calls int, at time.Time) *Occurrence {
	what := code
	if name := lacks[code]; name != "" {
		what = name + ", " + code
	}
	return &Occurrence{
		On: alert.OnResources, Subject: resources, Name: node, What: code + " on node " + node, At: at,
		Text:   "node " + node + " has run out of " + what + ": " + plaintext.Counted(calls, "call") + " could not be made; their tasks were handed back without an attempt",
		Values: map[string]any{"node": node, "code": code, "calls": calls},
		Fields: Fields("node", node, "code", code, "calls", strconv.Itoa(calls), "what helps", "raise ulimit -n (LimitNOFILE), or lower engine.concurrency or limits.connections"),
	}
}
