// Package lanemodel is a model of the claim protocol that the stores are to follow: one
// owner a lane, one log row for each batch of claims, nothing written per task. It has no
// code but tests; decision 190 says what it is about.
//
// A database of a few rows behaves like PostgreSQL at READ COMMITTED: each statement has a
// snapshot, waits for rows that are locked, and looks again at those alone. Nodes,
// operators, callers with open transactions and a standby that lacks the tail take turns
// statement by statement, by a seed. Answers are lost, processes end, nodes are buried and
// live on. What must hold is checked at every commit, and that every task ends at the end.
package lanemodel
