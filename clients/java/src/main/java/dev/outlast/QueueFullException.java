package dev.outlast;

/** The queue is full ({@code queue_full}): nothing was accepted, come back after {@link #retryAfter}. */
public final class QueueFullException extends OutlastException {
    private static final long serialVersionUID = 1L;

    QueueFullException(Problem problem) {
        super(problem, null);
    }
}
