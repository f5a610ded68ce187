package dev.outlast;

import java.time.Duration;

/** The attempt failed; the next one starts after this time instead of the policy's. */
public final class RetryAfter extends Steering {
    private static final long serialVersionUID = 1L;
    private final Duration delay;

    /** Says when, and why. */
    public RetryAfter(Duration delay, String message) {
        this(delay, message, null);
    }

    /** Says when, and why; of the cause, the class and the text are kept. */
    public RetryAfter(Duration delay, String message, Throwable cause) {
        super(message, cause);
        this.delay = delay;
    }

    /** The time until the next attempt. */
    public Duration delay() {
        return delay;
    }
}
