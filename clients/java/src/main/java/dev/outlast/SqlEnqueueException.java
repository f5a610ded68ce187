package dev.outlast;

import java.sql.SQLException;

/** The database does not take a task that a durable method hands in; the cause says why. */
public final class SqlEnqueueException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SqlEnqueueException(SQLException cause) {
        super(cause.getMessage(), cause);
    }
}
