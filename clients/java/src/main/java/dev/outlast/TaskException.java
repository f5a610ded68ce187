package dev.outlast;

/**
 * A failure that says itself what it is. Others are classified by the name of their class and their text. What is empty is
 * left to the server.
 */
public class TaskException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String category;
    private final String code;

    /** A failure of a category, such as "throttled", with a code, such as "429". */
    public TaskException(String message, String category, String code) {
        this(message, category, code, null);
    }

    /** The same, with a cause. */
    public TaskException(String message, String category, String code, Throwable cause) {
        super(message, cause);
        this.category = category;
        this.code = code;
    }

    /** The work was done, and what it gave cannot be kept. Doing it again would change nothing. */
    static TaskException badResult(String message) {
        return new TaskException(message, "permanent", "bad_result");
    }

    static TaskException badPayload(Throwable cause) {
        return new TaskException("the payload is not what the handler takes: " + cause.getMessage(), "permanent", "bad_payload", cause);
    }

    /** A step is asked for in a way that cannot be. */
    static TaskException badStep(String message) {
        return new TaskException(message, "bug", "invalid");
    }

    /** The category of the failure. */
    public String category() {
        return category;
    }

    /** The code of the failure. */
    public String code() {
        return code;
    }
}
