// Package dead looks after dead letters: sending them back to their queues
// (redrive), deleting them after their retention, exporting them, and telling
// how many there are. It also deletes what is left of tasks that ended well.
package dead
