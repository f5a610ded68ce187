// Package lanemodel is a model of the claim protocol that the stores are to follow: one
// owner a lane, one log row for each batch of claims, nothing written per task. It has no
// code but tests. A database of a few rows behaves like PostgreSQL at READ COMMITTED: each
// statement has a snapshot, waits for locked rows, and looks again at those alone. Nodes,
// operators and a standby that lacks the tail take turns statement by statement, by a
// seed; answers are lost, processes end, and what must hold is checked at every commit.
package lanemodel
