// Package group keeps worker groups: named sets of interchangeable HTTP endpoints,
// their members, that register themselves and beat. A task for a group goes to the
// member with the least load. If no member takes it, that was no attempt: the group
// as a whole waits, longer each time, and its tasks wait with it.
//
// Members are objects in the store, so that every node knows those that beat another
// one. What a node has seen of a group's failures is its own.
package group
