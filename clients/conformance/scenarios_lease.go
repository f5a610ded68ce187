package main

import (
	"slices"

	"github.com/outlast-dev/outlast/client"
)

func extensionFails(st *stage) {
	st.plan(extend, busy())
	a := st.give("slow", 1)
	st.expect("extend", "an extension after one that was answered with 503", func() bool { return a.extended > 0 })
	st.check("extend", "it came when the lease had ended", func() bool { return a.gap < long })
}

func settleHangs(st *stage) {
	closed, open := gate()
	st.plan(settle, held(closed))
	told, slow := st.make("echo", "told"), st.make("slow", "slow")
	st.happens(func() { st.due = append(st.due, told, slow) })
	st.expect("extend-busy", "a settle", func() bool { return len(told.told) > 0 })
	st.started("extend-busy", slow)
	before := look(st, func() int { return slow.extended })
	st.expect("extend-busy", "an extension of a running task while a settle hangs", func() bool { return slow.extended > before })
	st.started("extend-busy", st.give("echo", "meanwhile"))
	before = look(st, func() int { return told.extended })
	defer open()
	st.expect("extend-untold", "an extension of the task whose settle hangs", func() bool { return told.extended > before })
}

func silence(st *stage) {
	f := busy()
	f.always = true
	st.plan(extend, f)
	a := st.give("slow", 1)
	st.expect("silent-lease", "a handler that is told to stop, since its lease is not extended", func() bool { return a.stopped })
}

func lostLease(st *stage) {
	for _, status := range []string{"stale_claim", "not_found"} {
		a := st.give("slow", 1)
		st.started("lost-lease", a)
		st.happens(func() { a.status = status })
		st.expect("lost-lease", "a handler that is told to stop after "+status, func() bool { return a.stopped })
		// The worker tells the server, or does not. It has time for that until another task has been extended.
		after := st.give("slow", 2)
		st.expect("lost-lease", "an extension of another task", func() bool { return after.extended > 0 })
		st.letEnd(after)
		st.settled("lost-lease", after, "succeeded")
		st.check("lost-lease", "it was extended after "+status, func() bool { return a.lost == 1 })
		st.check("lost-lease", "it was settled as succeeded after "+status, func() bool {
			return !slices.ContainsFunc(a.told, func(r client.TaskResult) bool { return r.Outcome == "succeeded" })
		})
	}
}

func cancelTask(st *stage) {
	a := st.give("slow", 1)
	st.started("cancel", a)
	st.happens(func() { a.status = "canceled" })
	st.expect("cancel", "a handler that is told to stop", func() bool { return a.stopped })
	st.settled("cancel", a, "canceled")
}

func newClaim(st *stage) {
	old := st.give("slow", "old")
	st.started("new-claim", old)
	next := st.give("slow", "new", func(a *attempt) { a.task.ID, a.task.Claim, a.task.Attempt = old.task.ID, old.task.Claim+1, 1 })
	st.started("new-claim", next)
	st.happens(func() { old.status = "stale_claim" })
	st.expect("new-claim", "the handler of the old claim that is told to stop", func() bool { return old.stopped })
	before := look(st, func() int { return next.extended })
	st.expect("new-claim", "a further extension of the new claim", func() bool { return next.extended > before+1 })
	st.check("new-claim", "the handler of the new claim was told to stop", func() bool { return !next.stopped })
	st.letEnd(next)
	st.result("new-claim", next, "new")
}
