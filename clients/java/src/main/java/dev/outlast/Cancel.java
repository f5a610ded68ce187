package dev.outlast;

/** Ends the task now as canceled: it is no longer wanted. */
public final class Cancel extends Steering {
    private static final long serialVersionUID = 1L;

    /** Says why. */
    public Cancel(String message) {
        this(message, null);
    }

    /** Says why; of the cause, the class and the text are kept. */
    public Cancel(String message, Throwable cause) {
        super(message, cause);
    }
}
