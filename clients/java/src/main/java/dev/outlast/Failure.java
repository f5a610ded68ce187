package dev.outlast;

import java.time.Duration;
import java.time.Instant;

/** What is kept of the error of an attempt. What is not known is empty, or null. */
public record Failure(
        String message, String category, String type, String code, String effect, String fingerprint, Instant at, Duration delay) {
    static Failure of(Fields of) {
        return new Failure(
            of.text("message"), of.text("category"), of.text("type"), of.text("code"), of.text("effect"), of.text("fingerprint"),
            of.moment("at"), of.duration("delay"));
    }
}
