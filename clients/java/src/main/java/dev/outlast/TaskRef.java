package dev.outlast;

/**
 * A task that was handed in: its id, and whether it was there already, by its id or its dedupe key. Methods of
 * {@linkplain DurableTask durable interfaces} give one to those who call them; who implements such a method gives {@link
 * #result} back.
 */
public record TaskRef<R>(String id, boolean existing, R result) {
    static <R> TaskRef<R> of(String id, boolean existing) {
        return new TaskRef<>(id, existing, null);
    }

    /** What an implementation of a durable method returns: the result of the task. It has no id. */
    public static <R> TaskRef<R> result(R result) {
        return new TaskRef<>("", false, result);
    }
}
