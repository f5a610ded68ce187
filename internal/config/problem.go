package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	Line    int    `json:"line,omitempty"` // from 1, 0 where it is about no line
	Path    string `json:"path"`           // such as policies.payment.backoff.max
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String is the problem in one line.
func (p Problem) String() string {
	text := p.Message
	if p.Path != "" {
		path := task.Quote(p.Path)
		text = path[1:len(path)-1] + ": " + text
	}
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// In is the problem with its place in a file, in the form FILE:LINE: …
func (p Problem) In(file string) string {
	place := cmp.Or(file, "the configuration")
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, p.Line)
	}
	return place + ": " + p.String()
}

// Error is all that is wrong with a file, by line.
type Error struct {
	File     string
	Problems []Problem
}

// mostProblems bounds what is told of a file that is wrong all over.
const mostProblems = 50

// Error has one line for each problem, in the form FILE:LINE: …
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		lines = append(lines, p.In(e.File))
	}
	return strings.Join(lines, "\n")
}

// problems is the error of them, nil for none.
func problems(file string, all []Problem) error {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return &Error{File: file, Problems: all[:min(len(all), mostProblems)]}
}
