package dev.outlast;

import java.time.Instant;

/** What has become of a signal. {@code repeated}: it was there before, with the same payload. */
public record Signaled(String id, String name, String state, boolean repeated, boolean woken, Instant at) {
    static Signaled of(Fields of) {
        return new Signaled(of.text("id"), of.text("name"), of.text("state"), of.flag("repeated"), of.flag("woken"), of.moment("at"));
    }
}
