package dev.outlast;

import java.time.Duration;

/** Run again after this time, a second at the least. It is no failure and costs no attempt. */
public final class Snooze extends Steering {
    private static final long serialVersionUID = 1L;
    private final Duration delay;

    /** Says when. */
    public Snooze(Duration delay) {
        super("snoozed", null);
        this.delay = delay;
    }

    /** The time until the next run. */
    public Duration delay() {
        return delay;
    }
}
