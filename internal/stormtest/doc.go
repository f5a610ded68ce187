// Package stormtest makes an outage of a real receiver and looks at what clients
// do to it: a server in a process of its own fails for some seconds, a thousand
// goroutines call it through the HTTP adapter, and then thousands of durable
// tasks are pushed to it. It counts what arrives, first attempts and retries, in
// steps of 100 ms, and compares it with what the guards promise. The control is
// the same run with retries at a fixed interval and no guards: it must show the
// storm, or the test would prove nothing.
//
// The receiver serves a bounded number of requests per second, is slower while it
// is cold, and does not notice when a client has left the queue, as real ones do.
// So the clients of the control do not let it recover: all of its capacity goes
// to requests that nobody waits for any more.
//
// Where to start reading: run_test.go (a run and its phases), check_test.go (what
// is demanded). The receiver is this test binary itself, started again in the
// role of receiver_test.go. `make storm` makes the long runs and the pictures of
// docs/explanation/storm.md. The short ones of clients run in virtual time, against the same receiver
// behind pipes (virtual_test.go), with the other tests; that of tasks by `make faults`.
package stormtest
