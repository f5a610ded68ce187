package dev.outlast;

/** Ends the task now as a dead letter, whatever attempts are left. */
public final class GiveUp extends Steering {
    private static final long serialVersionUID = 1L;

    /** Says why. */
    public GiveUp(String message) {
        this(message, null);
    }

    /** Says why; of the cause, the class and the text are kept. */
    public GiveUp(String message, Throwable cause) {
        super(message, cause);
    }
}
