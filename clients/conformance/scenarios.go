package main

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// The leases. What ends a long one is no stall of a machine; a third of a medium one, after
// which it is extended, is waited for; a short one is there to end.
const (
	long   = 10 * time.Second
	medium = 6 * time.Second
	short  = 2 * time.Second
	grace  = 30 * time.Second
)

// scenarios are all plays, the longest first.
var scenarios = []*scenario{
	{"extension fails", []string{"extend"}, long, grace, extensionFails},
	{"settle hangs", []string{"extend-busy", "extend-untold"}, medium, grace, settleHangs},
	{"silence", []string{"silent-lease"}, short, grace, silence},
	{"lost lease", []string{"lost-lease"}, medium, grace, lostLease},
	{"cancel", []string{"cancel"}, medium, grace, cancelTask},
	{"late answer", []string{"late-task"}, medium, grace, lateAnswer},
	{"clock behind", []string{"server-clock"}, medium, grace, clockBehind},
	{"clock ahead", []string{"server-clock", "attempt-ends"}, long, grace, clockAhead},
	{"new claim", []string{"new-claim"}, medium, grace, newClaim},
	{"stop at work", []string{"stop-work"}, medium, grace, stopAtWork},
	{"stop over its grace time", []string{"stop-grace"}, long, time.Second, stopOverGrace},
	{"stop in a poll", []string{"stop-task"}, long, grace, stopInPoll},
	{"polls fail", []string{"poll-again", "retry-after"}, long, grace, pollsFail},
	{"poll is denied", []string{"denied"}, long, grace, pollDenied},
	{"settle is denied", []string{"denied"}, long, grace, settleDenied},
	{"slots", []string{"free-slots"}, long, grace, fullSlots},
	{"too many", []string{"beyond-max"}, long, grace, tooMany},
	{"verdicts", []string{"outcomes"}, long, grace, verdicts},
	{"later version", []string{"unknown-fields"}, long, grace, laterVersion},
	{"bad result", []string{"bad-result"}, long, grace, badResult},
	{"refused batch", []string{"refused-batch"}, long, grace, refusedBatch},
	{"lost settles", []string{"settle-again"}, long, grace, lostSettles},
	{"stale settle", []string{"stale-settle"}, long, grace, staleSettle},
	{"steps", []string{"steps-done", "steps-kept"}, long, grace, someSteps},
	{"stale step", []string{"steps-lost"}, long, grace, staleStep},
}

// Polls.

func pollsFail(st *stage) {
	st.plan(poll, unheard(), busy(), foreign(), cutOff(), fault{play: func(c *call) { c.send([]int{}) }})
	st.expect("poll-again", "a poll after a broken connection, 503, 404 of a proxy, an answer that was cut off, and one that is no answer", func() bool { return len(st.polls) > 5 })
	var answered time.Time
	slow := refused(http.StatusBadGateway, task.CodeUnavailable, 1)
	st.plan(poll, fault{play: func(c *call) { st.happens(func() { answered = time.Now() }); slow.play(c) }})
	st.give("echo", 1) // ends the poll that waits
	st.expect("poll-again", "a poll that is answered with 502", func() bool { return !answered.IsZero() })
	polls := st.pollsSoFar()
	st.expect("poll-again", "a poll after 502", func() bool { return len(st.polls) > polls })
	st.check("retry-after", "the next poll came sooner", func() bool { return time.Since(answered) >= time.Second })
}

func pollDenied(st *stage) {
	st.plan(poll, refused(http.StatusUnauthorized, task.CodeUnauthenticated, 0))
	st.begins()
	st.endsItself("denied")
}

func settleDenied(st *stage) {
	f := refused(http.StatusForbidden, task.CodeDenied, 0)
	f.always = true
	st.plan(settle, f)
	st.give("echo", 1)
	st.endsItself("denied")
}

// endsItself waits for the end of a process that cannot go on.
func (st *stage) endsItself(rule string) {
	switch code, ended := st.ends(); {
	case !ended:
		st.findings.fail(rule, "the process goes on")
	case code == 0:
		st.findings.fail(rule, "the exit code is 0")
	default:
		st.findings.ok(rule)
	}
	panic(abandoned{})
}

func fullSlots(st *stage) {
	all := make([]*attempt, slots)
	for i := range all {
		all[i] = st.give("slow", i)
	}
	for _, a := range all {
		st.started("free-slots", a)
	}
	polls := st.pollsSoFar()
	st.letEnd(all[0])
	st.settled("free-slots", all[0], "succeeded")
	st.expect("free-slots", "a poll when a slot is free", func() bool { return len(st.polls) > polls })
}

func tooMany(st *stage) {
	st.begins()
	all := make([]*attempt, slots+2)
	st.happens(func() { st.crammed = true })
	for i := range all {
		all[i] = st.make("echo", i)
	}
	st.happens(func() { st.due = append(st.due, all...) })
	for _, a := range all {
		st.expect("beyond-max", "the settle of each task of a poll that brought more than it asked for", func() bool { return a.settled != nil })
	}
}

func lateAnswer(st *stage) {
	st.plan(poll, fault{play: func(c *call) {
		timer := time.NewTimer(medium) // the lease began before the poll was sent
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.r.Context().Done():
		}
		c.send(c.work())
	}})
	late := st.give("echo", "late")
	st.expect("late-task", "a poll whose answer comes later than its lease ends", func() bool { return late.given })
	st.expect("late-task", "a poll after an answer that was late", func() bool { return len(st.polls) > 1 })
	st.result("late-task", st.give("echo", "in time"), "in time")
	st.check("late-task", "the handler was started", func() bool { return late.started == 0 })
}

// Clocks.

const hours = 6 * time.Hour

func clockBehind(st *stage) {
	st.happens(func() { st.skew = -hours })
	limited := func(a *attempt) { a.limit = time.Minute }
	st.result("server-clock", st.give("echo", "old", limited), "old")
	slow := st.give("slow", "old", limited)
	st.expect("server-clock", "an extension of a task of a server whose clock is six hours behind", func() bool { return slow.extended > 0 })
	st.letEnd(slow)
	st.result("server-clock", slow, "old")
	st.check("server-clock", "the handler was told to stop", func() bool { return !slow.stopped })
}

func clockAhead(st *stage) {
	st.happens(func() { st.skew = hours })
	st.result("server-clock", st.give("echo", "new"), "new")
	a := st.give("slow", "new", func(a *attempt) { a.limit = time.Second })
	st.started("server-clock", a)
	st.expect("attempt-ends", "a handler that is told to stop when its attempt has lasted for a second", func() bool { return a.stopped })
	st.settled("attempt-ends", a, "failed")
}

// Ends.

func verdicts(st *stage) {
	rich := map[string]any{"text": "größer ✓ 😀 \" \\ \n", "list": []any{1, -2.5, nil, true, map[string]any{}}, "of_a": map[string]any{"b_c": "d"}}
	st.result("outcomes", st.give("echo", rich), rich)
	failed := st.give("fail", "the shop hung up")
	st.settled("outcomes", failed, "failed")
	st.check("outcomes", "the message of the failure is not in its error", func() bool {
		return failed.settled.Error != nil && strings.Contains(failed.settled.Error.Message, "the shop hung up")
	})
	st.settled("outcomes", st.give("reject", nil), "dead")
	snoozed := st.give("snooze", nil)
	st.settled("outcomes", snoozed, "snoozed")
	st.check("outcomes", "retry_after of a snooze is not 5s", func() bool {
		after := snoozed.settled.RetryAfter
		return after != nil && time.Duration(*after) == 5*time.Second
	})
}

func laterVersion(st *stage) {
	st.happens(func() { st.extra = true })
	st.result("unknown-fields", st.give("echo", "later"), "later")
	st.result("unknown-fields", st.give("echo", "later still"), "later still")
}

func badResult(st *stage) {
	bad, large := st.make("bad", nil), st.make("echo", strings.Repeat("x", 70_000))
	good := []*attempt{st.make("echo", 1), st.make("echo", 2)}
	st.happens(func() { st.due = append(st.due, good[0], bad, large, good[1]) })
	st.settled("bad-result", bad, "failed")
	st.check("bad-result", "the code is not bad_result", func() bool { return bad.settled.Error != nil && bad.settled.Error.Code == task.BadResult })
	st.expect("bad-result", "the settle of a result of 70 KiB", func() bool { return large.settled != nil })
	for i, a := range good {
		st.result("bad-result", a, i+1)
	}
}

func refusedBatch(st *stage) {
	all := []*attempt{st.make("echo", 0), st.make("echo", 1), st.make("echo", 2), st.make("echo", 3)}
	wrong := all[1]
	isWrong := func(r client.TaskResult) bool {
		return r.ID == wrong.task.ID && (r.Outcome != "failed" || r.Error == nil || r.Error.Code != task.BadResult)
	}
	closed, open := gate()
	f := refused(http.StatusBadRequest, task.CodeInvalid, 0)
	f.always, f.of = true, func(body any) bool { return slices.ContainsFunc(body.(*client.SettleTasks).Results, isWrong) }
	first := held(closed) // so that others gather behind it
	first.of = func(body any) bool { return !f.of(body) }
	st.plan(settle, f, first)
	st.happens(func() { st.due = append(st.due, all...) })
	for _, a := range all {
		st.started("refused-batch", a)
	}
	open()
	for _, a := range all {
		st.expect("refused-batch", "the settle of each of four tasks, of which one is refused", func() bool { return a.settled != nil })
	}
	st.check("refused-batch", "the wrong one is not failed as bad_result", func() bool { return wrong.outcome() == "failed" })
	st.check("refused-batch", "others are not settled as they ended", func() bool {
		return !slices.ContainsFunc(all, func(a *attempt) bool { return a != wrong && a.outcome() != "succeeded" })
	})
}

func lostSettles(st *stage) {
	ways := []struct {
		name string
		fault
	}{
		{"a connection that broke behind it", lost()}, {"a connection that broke before it", unheard()}, {"503", busy()},
		{"429", refused(http.StatusTooManyRequests, "slow_down", 0)}, {"502", fault{play: func(c *call) { c.w.WriteHeader(http.StatusBadGateway) }}},
		{"404 of a proxy", foreign()}, {"an answer that was cut off", cutOff()},
	}
	a := st.make("echo", "told")
	for _, way := range ways {
		st.plan(settle, way.fault)
	}
	st.happens(func() { st.due = append(st.due, a) })
	for i, way := range ways {
		st.expect("settle-again", "the settle after "+way.name, func() bool { return len(a.told) > i+1 })
	}
	st.result("settle-again", a, "told")
}

func staleSettle(st *stage) {
	stale := st.give("echo", "stale", func(a *attempt) { a.status = "stale_claim" })
	st.expect("stale-settle", "the settle of a task", func() bool { return len(stale.told) > 0 })
	for i := range 3 {
		st.result("stale-settle", st.give("echo", i), i)
	}
	st.check("stale-settle", "it was told again", func() bool { return len(stale.told) == 1 })
}

// Steps.

func someSteps(st *stage) {
	before := client.Step{Name: "one", Occurrence: 1, Attempt: 1, Result: []byte(`"kept"`)}
	resumed := st.give("steps", nil, func(a *attempt) { a.task.Attempt, a.task.Steps = 2, []client.Step{before} })
	st.result("steps-done", resumed, []string{"kept", "two"})
	st.check("steps-done", "it was done again", func() bool { return slices.Equal(resumed.steps, []string{"step-two"}) })
	st.plan(steps, unheard(), lost(), busy(), foreign(), cutOff())
	fresh := st.give("steps", nil)
	st.result("steps-kept", fresh, []string{"one", "two"})
	st.check("steps-kept", "a step was not kept before the task was settled", func() bool {
		names := map[string]string{}
		for _, step := range fresh.kept {
			names[step.Name] = string(step.Result)
		}
		return names["one"] == `"one"` && names["two"] == `"two"`
	})
	st.check("steps-kept", "a step was done more than once", func() bool { return slices.Equal(fresh.steps, []string{"step-one", "step-two"}) })
}

func staleStep(st *stage) {
	a := st.give("steps", nil, func(a *attempt) { a.status = "stale_claim" })
	st.expect("steps-lost", "a step", func() bool { return len(a.steps) > 0 })
	st.result("steps-lost", st.give("echo", 1), 1)
	st.finish()
	st.check("steps-lost", "a further step was done", func() bool { return len(a.steps) == 1 })
	st.check("steps-lost", "it was settled as succeeded", func() bool {
		return !slices.ContainsFunc(a.told, func(r client.TaskResult) bool { return r.Outcome == "succeeded" })
	})
	panic(abandoned{})
}
