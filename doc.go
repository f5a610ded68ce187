// Package outlast is a durable retry engine: hand it a task, a Go function
// call or an HTTP request to be made, and the task outlasts crashes, deploys
// and outages. It is on disk before [Client.Enqueue] returns; it is attempted,
// classified when it fails, retried by a policy, and kept as a dead letter
// with its whole story when nothing is left to try.
//
// [Open] makes a node on a store, [Handle] and [Func] say what it can run,
// [Client.Start] lets it run. [Client.Inspector] shows and changes what is
// there.
//
// Every error that a caller can do something about is an [*Error] with a code,
// a message, a hint and, for bad input, the fields that are wrong.
package outlast
