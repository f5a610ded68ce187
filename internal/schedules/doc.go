// Package schedules says when recurring tasks are due, and enqueues them:
// times of cron expressions in time zones, of intervals, and single ones.
//
// An [inspect.Schedule] is kept as an object of kind "schedule", what has become of it,
// an [inspect.ScheduleState], as one of kind "tick". [Decide] is the rule by which a state goes
// on; it is pure. The [Ticker] of every node applies it: it stores the next
// state by compare-and-set and enqueues the tasks of the ticks in the same
// transaction. So each tick has exactly one task, however many nodes tick,
// crash or lose answers, and no node is special.
package schedules
