package dev.outlast;

/** The request is not valid ({@code invalid}) or too large ({@code too_large}): the fields say where. */
public final class InvalidException extends OutlastException {
    private static final long serialVersionUID = 1L;

    InvalidException(Problem problem) {
        super(problem, null);
    }
}
