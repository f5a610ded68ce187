package dev.outlast;

/** The state does not allow it: {@code conflict}, {@code id_conflict}, {@code dedupe_conflict} and others. */
public final class ConflictException extends OutlastException {
    private static final long serialVersionUID = 1L;

    ConflictException(Problem problem) {
        super(problem, null);
    }
}
