// Package report is what outlast doctor finds: a line for each check, with what to do about it.
package report

import (
	"errors"
	"io"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// The verdicts of a finding.
const (
	Fine  = "ok"
	Warns = "warn"
	Fails = "fail"
)

// Finding is one line of the report.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, warn or fail
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Report is all that was found.
type Report struct {
	Status   string    `json:"status"` // the worst of all
	Findings []Finding `json:"findings"`

	// Of a database server: how many connections a node may open, and how many
	// the server takes.
	Pool, Limit int `json:"-"`
}

// New is a report of nothing.
func New() *Report { return &Report{Status: Fine} }

// Add adds a finding. What is fine needs no fix.
func (r *Report) Add(check, status, detail, fix string) {
	if status == Fine {
		fix = ""
	}
	r.Findings = append(r.Findings, Finding{check, status, detail, fix})
	if r.Status != Fails && status != Fine {
		r.Status = status
	}
}

// Show writes the report for people or programs.
func (r *Report) Show(c *cli.Env) error {
	return cli.List(c, r, r.Findings, func(w io.Writer) {
		cli.Row(w, "STATUS", "CHECK", "DETAIL", "FIX")
		for _, f := range r.Findings {
			cli.Row(w, f.Status, cli.Clean(f.Check), cli.Clean(f.Detail), cli.Clean(f.Fix))
		}
	})
}

// Verdict is what was found by a check, "" for one that was not made.
func (r *Report) Verdict(check string) (status, detail string) {
	for _, f := range r.Findings {
		if f.Check == check {
			status, detail = f.Status, f.Detail
		}
	}
	return status, detail
}

// Unreachable is a store that cannot be looked at.
func (r *Report) Unreachable(err error) error {
	code, fix := task.CodeUnavailable, "check the URL, and whether this user may read and write there"
	message := err.Error()
	var typed *task.Error
	if errors.As(err, &typed) && typed.Hint != "" {
		bare := *typed
		bare.Hint = ""
		code, message, fix = typed.Code, bare.Error(), typed.Hint
	}
	r.Add("store", Fails, message, fix)
	return &task.Error{Code: code, Message: "the store cannot be opened", Err: err}
}
