// Package alert has what people write and see of alerts: rules, channels, silences, and the
// messages that channels send. A rule is about what happens to tasks, such as their death,
// or about what is counted, such as the backlog of a queue. Package inspect puts, lists and
// deletes them; how it is decided who is told when is inside of Outlast.
//
// A rule that holds raises an alert about a subject: the task for retry, the
// type for dead and crash, the queue, target, category, schedule or operation
// for the others. An alert about a subject that was told of within the rule's
// cool-down is held back: it is counted, and named in the next message.
//
// Stability: stable.
package alert
