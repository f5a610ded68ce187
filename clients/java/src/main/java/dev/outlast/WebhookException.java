package dev.outlast;

/** The request is not good: answer 401, and do nothing. */
public final class WebhookException extends Exception {
    private static final long serialVersionUID = 1L;

    WebhookException(String message) {
        super(message);
    }
}
