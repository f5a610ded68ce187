package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// scenario plays one fault for a worker process of its own.
type scenario struct {
	name         string
	rules        []string // that it judges, beside those of always
	lease, grace time.Duration
	play         func(*stage)
}

// startTime is for a program to start, on whatever machine.
const startTime = 2 * time.Minute

// stage is where a scenario is played.
type stage struct {
	*server
	*scenario
	ctx       context.Context
	patience  time.Duration // for what a good worker does; only one that is broken needs all of it
	program   *program
	stoppedAt int // polls before SIGTERM, -1 before that
	findings  *findings
}

// The ends of a play before its end.
type (
	abandoned struct{} // what was expected has not come
	missing   string   // the worker has no handler for this type
)

// perform plays a scenario with a program.
func (sc *scenario) perform(ctx context.Context, args []string, patience time.Duration) (*findings, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := newServer()
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.http.Close() }() // nobody waits for an answer
	st := &stage{server: s, scenario: sc, ctx: ctx, patience: patience, stoppedAt: -1, findings: newFindings()}
	if st.program, err = start(ctx, args, s, sc.lease, sc.grace); err != nil {
		return nil, err
	}
	if st.playOut() {
		st.finish()
	}
	st.program.kill()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	st.judgeCalls()
	if st.findings.broken() {
		st.findings.output = st.program.output.String()
	}
	return st.findings, nil
}

// playOut reports whether the scenario was played to its end.
func (st *stage) playOut() (whole bool) {
	defer func() {
		switch end := recover().(type) {
		case nil, abandoned:
		case missing:
			for _, rule := range st.rules {
				st.findings.skip(rule, "the worker does not name the type "+string(end))
			}
		default:
			panic(end)
		}
		for _, rule := range st.rules {
			st.findings.skip(rule, "its scenario ended before")
		}
	}()
	st.play(st)
	return true
}

// finish stops the worker as a supervisor does.
func (st *stage) finish() {
	st.happens(func() {
		for _, a := range st.attempts {
			a.end = true
		}
	})
	if st.stoppedAt < 0 {
		st.stop()
	}
	switch code, ended := st.ends(); {
	case !ended:
		st.findings.fail("stop-exit", "the process went on after SIGTERM")
	case code < 0:
		st.findings.fail("stop-exit", "SIGTERM killed the process")
	case code > 0:
		st.findings.fail("stop-exit", fmt.Sprintf("the exit code after SIGTERM was %d", code))
	default:
		st.findings.ok("stop-exit")
	}
}

// stop sends SIGTERM.
func (st *stage) stop() {
	st.happens(func() { st.stoppedAt = len(st.polls) })
	st.program.stop()
}

// ends waits for the end of the process.
func (st *stage) ends() (code int, ended bool) {
	timer := time.NewTimer(st.patience)
	defer timer.Stop()
	select {
	case <-st.program.ended:
		return st.program.code, true
	case <-timer.C:
		return 0, false
	}
}

// judgeCalls judges the rules of always by what was recorded.
func (st *stage) judgeCalls() {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, a := range st.attempts {
		if a.started > 1 {
			st.breaks("run-once", fmt.Sprintf("a claim of type %s was started %d times", a.task.Type, a.started))
		}
		if a.repeatsDiffer() {
			st.breaks("settle-same", fmt.Sprintf("a task of type %s was told to be %s, then %s", a.task.Type, a.told[0].Outcome, a.told[len(a.told)-1].Outcome))
		}
	}
	if more := len(st.polls) - st.stoppedAt; st.stoppedAt >= 0 && more > 1 { // one may have been on its way
		st.breaks("stop-polls", fmt.Sprintf("%d polls came after SIGTERM", more))
	}
	if i := slices.IndexFunc(st.polls, func(p *polled) bool { return p.hungUp }); i >= 0 && i < len(st.polls)-1 && st.stoppedAt >= 0 {
		st.breaks("stop-polls", "a poll came after the one that SIGTERM ended")
	}
	for rule, seen := range st.broken {
		for _, one := range seen {
			st.findings.fail(rule, one)
		}
	}
	if len(st.polls) > 0 {
		st.findings.worker = st.polls[0].Worker
		for _, rule := range always {
			if rule != "stop-exit" && rule != "stop-polls" || st.stoppedAt >= 0 {
				st.findings.ok(rule)
			}
		}
	}
}

// expect waits until something is so. If that does not come, the rule is broken and the
// play is over.
func (st *stage) expect(rule, what string, is func() bool) { st.expectIn(st.patience, rule, what, is) }

func (st *stage) expectIn(patience time.Duration, rule, what string, is func() bool) {
	if st.waits(patience, is) {
		st.findings.ok(rule)
		return
	}
	seen := "not seen: " + what
	select {
	case <-st.program.ended:
		seen += fmt.Sprintf("; the process had ended with exit code %d", st.program.code)
	default:
	}
	st.findings.fail(rule, seen)
	panic(abandoned{})
}

// check judges what is so now.
func (st *stage) check(rule, broken string, is func() bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if is() {
		st.findings.ok(rule)
	} else {
		st.findings.fail(rule, broken)
	}
}

// waits waits until something is so, as long as the process lives.
func (st *stage) waits(patience time.Duration, is func() bool) bool {
	ctx, cancel := context.WithTimeout(st.ctx, patience)
	defer cancel()
	go func() {
		select {
		case <-st.program.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return st.until(ctx, is)
}

// begins waits for the first poll.
func (st *stage) begins() {
	st.expectIn(startTime, "poll-again", "a first poll", func() bool { return len(st.polls) > 0 })
}

// give makes a task due that the worker can start.
func (st *stage) give(kind string, payload any, change ...func(*attempt)) *attempt {
	a := st.make(kind, payload, change...)
	st.happens(func() { st.due = append(st.due, a) })
	return a
}

// make is a task for the worker.
func (st *stage) make(kind string, payload any, change ...func(*attempt)) *attempt {
	st.begins()
	if !slices.Contains(st.polls[0].Types, kind) {
		panic(missing(kind))
	}
	now := client.Time{Time: time.Now().Add(st.skew)}
	a := &attempt{status: "ok", task: client.LeasedTask{Task: client.Task{
		ID: client.NewID(), Type: kind, Queue: "default", State: task.Running, Payload: encoded(payload), Priority: 4, RunAt: now,
		MaxAttempts: 5, Attempt: 1, Claim: 41, Node: "kit", Worker: st.polls[0].Worker, CreatedAt: now, UpdatedAt: now,
	}}}
	for _, one := range change {
		one(a)
	}
	return a
}

// look is what something is now.
func look[T any](st *stage, what func() T) T {
	st.mu.Lock()
	defer st.mu.Unlock()
	return what()
}

// pollsSoFar counts polls.
func (st *stage) pollsSoFar() int { return look(st, func() int { return len(st.polls) }) }

// started waits for the start of a handler.
func (st *stage) started(rule string, a *attempt) {
	st.expect(rule, "the start of a task of type "+a.task.Type, func() bool { return a.started > 0 })
}

// settled waits for the end of an attempt.
func (st *stage) settled(rule string, a *attempt, outcome string) {
	st.expect(rule, "the settle of a task of type "+a.task.Type, func() bool { return a.settled != nil })
	got := look(st, a.outcome)
	st.check(rule, fmt.Sprintf("a task of type %s was settled as %s, not %s", a.task.Type, got, outcome), func() bool { return got == outcome })
}

// result checks the result of a task that succeeded.
func (st *stage) result(rule string, a *attempt, want any) {
	st.settled(rule, a, "succeeded")
	got := look(st, func() string { return canonical(a.settled.Result) })
	st.check(rule, fmt.Sprintf("the result of a task of type %s was %.200s, not %.200s", a.task.Type, got, canonical(want)), func() bool { return got == canonical(want) })
}

// letEnd lets a slow handler end.
func (st *stage) letEnd(a *attempt) { st.happens(func() { a.end = true }) }

// gate is what holds a call until it is opened.
func gate() (closed <-chan struct{}, open func()) {
	made := make(chan struct{})
	return made, func() { close(made) }
}
