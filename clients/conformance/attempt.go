package main

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// attempt is a task that is handed out, and what the worker does with it.
type attempt struct {
	task   client.LeasedTask
	limit  time.Duration // of the attempt, 0 for none
	status string        // what extensions are answered; other than ok and canceled also settlements and steps
	end    bool          // its handler is to end

	given    bool
	leasedAt time.Time     // when its lease began, by the clock of the kit
	gap      time.Duration // the longest time between two beginnings
	extended int
	lost     int // extensions after one that said that it is lost

	started int
	ending  bool // its handler knows that it is to end
	stopped bool // its handler was told to stop
	steps   []string
	kept    []client.DoneStep

	told    []client.TaskResult // everything that was sent, in order
	settled *client.TaskResult  // what counts
}

type attemptKey struct {
	id    task.ID
	claim int64
}

func (a *attempt) key() attemptKey { return attemptKey{a.task.ID, a.task.Claim} }

// isLost reports whether the worker was told that the task is not its any more.
func (a *attempt) isLost() bool { return a.status == "stale_claim" || a.status == "not_found" }

// runs reports whether the handler surely runs.
func (a *attempt) runs() bool {
	return a.task.Type == "slow" && a.started > 0 && !a.ending && !a.stopped && a.settled == nil
}

func (a *attempt) outcome() string {
	if a.settled == nil {
		return ""
	}
	return a.settled.Outcome
}

// lease begins a lease.
func (a *attempt) lease() {
	now := time.Now()
	if !a.leasedAt.IsZero() {
		a.gap = max(a.gap, now.Sub(a.leasedAt))
	}
	a.leasedAt = now
}

// extend answers an extension.
func (a *attempt) extend() string {
	if a.isLost() {
		a.lost++
		return a.status
	}
	a.extended++
	a.lease()
	return a.status
}

// settle answers a settlement.
func (a *attempt) settle(result *client.TaskResult) string {
	switch {
	case a.isLost():
		return a.status
	case a.settled == nil:
		a.settled = result
	case a.settled.Outcome != result.Outcome:
		return "stale_claim"
	}
	return "ok"
}

// repeatsDiffer reports whether something else was sent the second time.
func (a *attempt) repeatsDiffer() bool {
	for i := range a.told {
		if canonical(a.told[i]) != canonical(a.told[0]) {
			return true
		}
	}
	return false
}

// canonical is the JSON of a value with the names of objects in order.
func canonical(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return err.Error()
	}
	text, _ = json.Marshal(plain) // it was JSON
	return string(text)
}
