// Package lanemodel is a model of the claim protocol that the stores follow: one owner a
// lane, one log row for what a claim takes of a lane, nothing written per task. It has no
// code but tests; decision 190 says what it is about.
//
// A database of a few rows behaves like PostgreSQL at READ COMMITTED: each statement has a
// snapshot, waits for rows that are locked, and looks again at those alone. Nodes,
// operators, callers with open transactions and a standby that lacks the tail take turns
// statement by statement, by a seed. Answers are lost, statements stall, processes end,
// nodes are buried and live on, the clock stands still or goes back, ids that were purged
// come again. What must hold is checked at every commit, and at the end every task has
// ended, by the nodes that are left or by a new one.
package lanemodel
