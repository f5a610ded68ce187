package dev.outlast;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A task as it stands. What it does not have is empty, 0 or null. {@code maxAttempts} is 0 for no limit; {@code
 * attemptEnds} and {@code leaseUntil} are by the clock of the server.
 */
public record Task(
        String id, String type, State state, String queue, Payload payload, Payload result, Payload progress, int attempt, int maxAttempts,
        int crashes, long claim, int priority, String key, String shareKey, String dedupeKey, String policy, Map<String, String> metadata,
        String group, String parent, String follows, String traceParent, Instant runAt, Instant deadline, Duration timeout,
        Instant createdAt, Instant finishedAt, Instant leaseUntil, Instant attemptEnds, String waiting, String worker,
        boolean cancelRequested, Failure lastError, String deadReason, List<Step> steps) {
    /** What a task can be. UNKNOWN stands for states of later servers. */
    public enum State {
        PENDING, RUNNING, SUCCEEDED, DEAD, CANCELED, UNKNOWN;

        static State of(String text) {
            for (State state : values()) if (state.name().equalsIgnoreCase(text)) return state;
            return UNKNOWN;
        }
    }

    /** Whether it has succeeded, is dead, or was canceled. */
    public boolean ended() {
        return state == State.SUCCEEDED || state == State.DEAD || state == State.CANCELED;
    }

    static Task of(Fields of) {
        return new Task(
            of.required("id"), of.required("type"), State.of(of.text("state")), of.text("queue"), of.payload("payload"),
            of.payload("result"), of.payload("progress"), of.number("attempt"), of.number("max_attempts"), of.number("crashes"),
            of.number("claim", 0), (int) of.number("priority", 5), of.text("key"), of.text("share_key"), of.text("dedupe_key"),
            of.text("policy"), of.texts("metadata"), of.text("group"), of.text("parent"), of.text("follows"), of.text("trace_parent"),
            of.moment("run_at"), of.moment("deadline"), of.duration("timeout"), of.moment("created_at"), of.moment("finished_at"),
            of.moment("lease_until"), of.moment("attempt_ends"), of.text("waiting"), of.text("worker"), of.flag("cancel_requested"),
            of.object("last_error", Failure::of), of.text("dead_reason"), of.list("steps", Step::of));
    }
}
