package dev.outlast;

/** The handler is to stop, and came to a place where that is noticed. */
public final class Stopped extends Steering {
    private static final long serialVersionUID = 1L;
    private final StopReason reason;

    Stopped(StopReason reason) {
        super("stopped: " + reason, null);
        this.reason = reason;
    }

    /** Why. */
    public StopReason reason() {
        return reason;
    }
}
