package cli

import (
	"io"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/plan"
)

// Plural is a number of things, with the s that English wants: 1 task, 2 tasks.
func Plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Line writes text that is no row, so that it does not widen the columns.
func Line(w io.Writer, text string) { _, _ = io.WriteString(w, text+"\n") } // Flush reports it

// Wait is a duration as short as a table needs.
func Wait(d client.Duration) string { return plan.Short(time.Duration(d)) }

// mostCounted is where the server stops to count the tasks of a queue.
const mostCounted = 10_000

// UpTo is a number that is counted no further than that.
func UpTo(n int) string {
	if n >= mostCounted {
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
}
