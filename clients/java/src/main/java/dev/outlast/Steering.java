package dev.outlast;

/**
 * What a handler throws to say what is to follow. It is an Error, so that {@code catch (Exception e)} lets it pass, and
 * has no stack trace of its own.
 */
public abstract sealed class Steering extends Error permits RetryAfter, Snooze, GiveUp, Cancel, Stopped {
    private static final long serialVersionUID = 1L;

    Steering(String message, Throwable cause) {
        super(message, cause, false, false);
    }
}
