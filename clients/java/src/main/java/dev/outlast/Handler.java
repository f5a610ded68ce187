package dev.outlast;

/** Runs one attempt of a task. */
@FunctionalInterface
public interface Handler<I> {
    /**
     * Does the work. What it returns is kept as the result; null for none. What it throws is a failure, and the policy of
     * the task decides about a retry, or {@link Steering}.
     */
    Object handle(Context context, I input) throws Exception;
}
