package wire

import (
	"bytes"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// AppendLetter appends a dead letter as one line of JSON, as the export has it.
func AppendLetter(lines []byte, v *inspect.View, attempts []task.Attempt) ([]byte, error) {
	start := len(lines)
	lines, err := client.Append(lines, client.Letter{Task: Task(v), Attempts: Attempts(attempts)})
	if err != nil {
		return lines[:start], err
	}
	OneLine(lines[start:])
	return append(lines, '\n'), nil
}

// OneLine makes one line of JSON: a raw line end can only stand between
// tokens, never inside a string.
func OneLine(data []byte) {
	for _, end := range []byte{'\n', '\r'} {
		for i := bytes.IndexByte(data, end); i >= 0; i = bytes.IndexByte(data, end) {
			data[i] = ' '
		}
	}
}
