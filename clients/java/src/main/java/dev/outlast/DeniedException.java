package dev.outlast;

/** The token is missing or wrong, or may not do this: {@code unauthenticated}, {@code denied}, {@code rate_limited}. */
public final class DeniedException extends OutlastException {
    private static final long serialVersionUID = 1L;

    DeniedException(Problem problem) {
        super(problem, null);
    }
}
