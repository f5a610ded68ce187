package dev.outlast;

/** A value has no JSON form, or JSON is not of the type that was asked for. */
public class CodecException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CodecException(String message) {
        super(message);
    }

    public CodecException(String message, Throwable cause) {
        super(message, cause);
    }
}
