package dev.outlast;

/** A part of a worker died. What it had in hand runs elsewhere when the leases have ended. */
public final class WorkerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WorkerException(String message, Throwable cause) {
        super(message, cause);
    }
}
