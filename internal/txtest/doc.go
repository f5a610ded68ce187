// Package txtest holds the tests of transactions of the caller, the same on
// every database: tasks enqueued and completed in them, under lost answers,
// dead nodes and killed processes.
package txtest
