package dev.outlast;

import java.time.Duration;
import java.time.Instant;

/**
 * One recorded execution of a task. The outcome is succeeded, failed, snoozed, released, dead, canceled or crashed; what
 * is not known is empty, or null.
 */
public record Attempt(
        int number, long claim, String outcome, String worker, String release, String node, String category, String error, String type,
        String code, Instant startedAt, Instant endedAt, Duration nextDelay) {
    static Attempt of(Fields of) {
        return new Attempt(
            of.number("number"), of.number("claim", 0), of.text("outcome"), of.text("worker"), of.text("release"), of.text("node"),
            of.text("category"), of.text("error"), of.text("type"), of.text("code"), of.moment("started_at"), of.moment("ended_at"),
            of.duration("next_delay"));
    }
}
