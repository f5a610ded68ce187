// Package outlast is a durable retry engine: hand it a task, a Go function
// call or an HTTP request to be made, and the task outlasts crashes, deploys
// and outages. It is on disk before [Client.Enqueue] returns; it is attempted,
// classified when it fails, retried by a policy, and kept as a dead letter
// with its whole story when nothing is left to try.
//
// [Define] says what tasks of a type take and give, for those who enqueue and those who
// run. [Open] makes a node on a store, [Definition.Handle] says what it can run,
// [Client.Start] lets it run; to enqueue and to wait it need not start. [Client.Inspector]
// shows and changes what is there.
//
// A program links what it imports: package cel of this module reads conditions (all programs
// of a cluster in which there are some should import it), package prom counts for Prometheus,
// package alert/email sends mail. Package outlasttest is for its tests.
//
// Every error that a caller can do something about is an [*Error] with a code,
// a message, a hint and, for bad input, the fields that are wrong.
//
// Stability: stable. Names and their meaning stay within a major version.
package outlast
