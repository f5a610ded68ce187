// Package faulttest kills Outlast in many ways and checks that its promises
// hold: processes of the server, as package app puts it together, and of
// applications with the library inside are killed at random moments and at named points, paused and started
// again, while a ledger in the test's own process keeps what was handed in,
// what was acknowledged and every call that arrived. After each fault the
// store on disk is compared with the ledger.
//
// A suite that finds nothing proves nothing by itself, so TestMutants builds
// the same programs with defects planted in the store (defect_test.go) and demands
// that the checks report each of them.
//
// Where to start reading: ledger_test.go (what is recorded), check_test.go
// (the rules), scenario_test.go (how a fault is made and repeated). There is
// only test code here; the nodes that are killed are this test binary itself,
// started again by [os/exec] in the role of node_test.go.
//
// What engines do is shown by worldtest, in virtual time and by the thousand;
// here is what only processes, files, connections and servers show. Tests of the
// real clock and of what worlds show too have the build tag faults.
//
// Environment: OUTLAST_FAULT_CYCLES (number of random kills, 6),
// OUTLAST_FAULT_SEED (of all random choices, printed by every test that
// fails), OUTLAST_FAULT_LONG=1 (the long forms that `make faults` runs),
// OUTLAST_FAULT_CLUSTER (times that each fault of a cluster is made; where it is
// not set, once, without those that worlds show),
// OUTLAST_FAULT_SOAK (how long TestSoak runs, 1h), OUTLAST_FAULT_PACE (time
// between two tasks of each of a cluster's four callers, 100ms).
package faulttest
