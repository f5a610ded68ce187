// Package stats counts how attempts went under each release of the application, or of
// its remote workers, and under each version of a policy: how many there were, how many
// failed, how long they ran and how late they started, by type of task and number of
// the attempt. It tells whether second attempts, say, take longer than before a change.
//
// A node counts in memory, at no allocation per attempt, and adds what is new to the
// database twice a minute and when it stops: so the counts are of all nodes and
// outlive them. A node that is killed loses those of half a minute at most. Times are
// kept in buckets a quarter of a power of two wide, so a percentile is the upper end
// of its bucket, at most a quarter too high.
//
// It also counts what happens over time, by the minute and queue: see [Series].
//
// Everything is bounded: the first 200 of type, policy version and release on a node
// have their own counts and later ones are the type "(other)"; of each type the last 5
// releases and policy versions are kept, of at most 500 types, for 30 days after the
// last attempt; attempts from the fifth on count together.
package stats
