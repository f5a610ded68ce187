package store

import "hash/fnv"

// ParkMark is the park mark of rows that a gate of some kind holds, such as the task
// type that no node can start. It is never 0.
func ParkMark(gate, name string) int64 {
	sum := fnv.New64a()
	sum.Write([]byte(gate))
	sum.Write([]byte{0})
	sum.Write([]byte(name))
	return int64(sum.Sum64() | 1)
}

// KeyMark is the park mark of rows that wait behind their ordering key.
func KeyMark(key string) int64 { return ParkMark("key", key) }

// Backlog is how many pending tasks lanes have.
type Backlog struct {
	Pending int // all but the parked ones
	Aside   int // of these, those with a park mark: nobody can start them now
	Parked  int // behind keys that are held in mode park
}
