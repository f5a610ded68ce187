// Package alert decides when people are told that something is wrong, and
// what: rules over what happens to tasks ([Event]) and over what is counted
// ([Sample]), cool-downs, digests and recovery notices. It is the rule book:
// how messages travel is the business of package channel, and that none is
// lost that of the client, which keeps them as tasks.
//
// A rule that holds raises an alert about a subject: the task for retry, the
// type for dead and crash, the queue, target, category, schedule or operation
// for the others. An alert about a subject that was told of within the rule's
// cool-down is held back: it is counted, and named in the next message.
package alert
