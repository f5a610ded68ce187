package dev.outlast;

/** No signal has come in time. */
public final class SignalTimeoutException extends TaskException {
    private static final long serialVersionUID = 1L;

    SignalTimeoutException(String name) {
        super("no signal \"" + name + "\" has come in time", "permanent", "timeout");
    }
}
