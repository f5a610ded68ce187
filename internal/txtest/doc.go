// Package txtest holds the tests of an application with its own tables, the same on
// every database: tasks enqueued and completed in its transactions, under lost
// answers, dead nodes and killed processes; and releases side by side.
package txtest
