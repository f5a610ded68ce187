// Package worldtest lets fleets of engines live on one store in virtual time, and checks
// what must hold all the while.
//
// A seed makes a plan before anything runs: one to five nodes, tasks with and without
// keys, delays and timeouts, what each handler does at each run, and what goes wrong:
// processes that die or stop and come back, nodes that are cut off for longer than the
// rule of death, calls that arrive late, answers that are lost or slow, a clock of the
// store that steps, and operators who cancel, hurry, move, pause and redrive. In some, nodes
// look less far ahead than tasks wait, or keep fewer of them in memory than there are. Some tasks do their
// work in steps, one after the other or side by side, some of which sleep, fail or have a compensation, and
// some of those tasks are rejected in the end. Some tasks are members of groups, which are closed while members live. Remote workers poll
// any node, let leases end and tell any node of their results. When all trouble is over
// everything must end, and a second wave of tasks, a rush on a queue with a limit and a
// paused queue must go as on a fleet that has never had trouble.
//
// Checked as it happens: who runs a task is the only one, unless the one before was told to end or its
// process is dead; the same for keys, whose tasks begin in their order; nothing
// begins before its claim is known, on a node that has heard nothing for long or has
// stopped, in a paused queue or beyond a limit that the fleet has had time to agree on; what
// is settled is what the handler said, once; a step that is on disk is done by no later run, which gets what
// is there, what a run is told to be done is there under its claim, and nothing is stored under one that was
// lost; what dies is undone by one task for each step that has to be, the last first, before it is done again. Checked at the end: each group of tasks is done, counts its members and has called back once, what was acknowledged is
// there and has ended, histories fit what handlers saw, crashes are counted where a node
// had trouble only, nodes share the lanes, no node keeps a place, the invariants of storetest hold, and an order
// explains all that nodes were told (historytest).
//
// The schedule of a seed is exact, and so are the faults of each method's n-th call. What goroutines make of
// it is not: which of several that can run at one moment runs first, and which ready case a
// select takes, is the runtime's draw. A failure that hangs on such a draw comes back in
// some of the runs of its seed.
//
// Engines read the time themselves, so the clocks of nodes do not differ from one another.
// What differs between databases, and what only a process can do, is not shown here.
package worldtest
