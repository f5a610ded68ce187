// Package historytest checks stores by what their clients saw. [Run] lets
// concurrent clients enqueue, claim, settle, beat, cancel, reschedule, redrive
// and take over tasks, records when each call began, when it answered and
// what, and asks whether the answers can be put in one order that the state
// machine of a task allows (https://github.com/anishathalye/porcupine: "Testing
// for linearizability", Gavin Lowe, 2017). A call whose answer was lost may have
// been done at any time after it began, or never.
//
// [Queue] is the check of a whole run: nothing that was acknowledged is lost,
// and nothing is there or has run that nobody sent.
package historytest
