package dev.outlast;

/** There is no such thing ({@code not_found}). */
public final class NotFoundException extends OutlastException {
    private static final long serialVersionUID = 1L;

    NotFoundException(Problem problem) {
        super(problem, null);
    }
}
