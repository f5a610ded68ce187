package dev.outlast;

import java.time.Instant;

/**
 * A group of tasks as it stands. The state is open: it takes members; closed: it waits for those that live; or done: its
 * callback is enqueued.
 */
public record TaskGroup(
        String id, String state, String label, int members, int succeeded, int dead, int canceled, String callbackTask, Instant createdAt,
        Instant closedAt, Instant doneAt) {
    static TaskGroup of(Fields of) {
        return new TaskGroup(
            of.required("id"), of.text("state"), of.text("label"), of.number("members"), of.number("succeeded"), of.number("dead"),
            of.number("canceled"), of.text("callback_task"), of.moment("created_at"), of.moment("closed_at"), of.moment("done_at"));
    }
}
