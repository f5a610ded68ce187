package main

func stopInPoll(st *stage) {
	a := st.make("echo", "late")
	st.happens(func() { st.late = append(st.late, a) })
	st.stop()
	st.expect("stop-task", "the end of the poll", func() bool { return a.given })
	st.expect("stop-task", "the settle of a task that came while the worker stopped", func() bool { return a.settled != nil })
}

func stopAtWork(st *stage) {
	a := st.give("slow", "whole")
	st.started("stop-work", a)
	st.stop()
	before := look(st, func() int { return a.extended })
	st.expect("stop-work", "extensions while the worker stops", func() bool { return a.extended > before+1 })
	st.plan(settle, lost())
	st.letEnd(a)
	st.result("stop-work", a, "whole")
	st.expect("stop-work", "the settle once more, since its answer was lost", func() bool { return len(a.told) > 1 })
}

func stopOverGrace(st *stage) {
	a := st.give("slow", 1)
	st.started("stop-grace", a)
	st.stop()
	st.expect("stop-grace", "a handler that is told to stop after the grace time", func() bool { return a.stopped })
	st.settled("stop-grace", a, "released")
}
