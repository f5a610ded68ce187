package dev.outlast;

/** No answer, or none now ({@code unavailable}, {@code dedupe_busy}). What was asked for may have happened or not. */
public final class UnavailableException extends OutlastException {
    private static final long serialVersionUID = 1L;

    UnavailableException(Problem problem, Throwable cause) {
        super(problem, cause);
    }

    static UnavailableException of(String detail, Throwable cause) {
        return new UnavailableException(problem("unavailable", detail, "", 0, null), cause);
    }

    /** The certificate of the server is not good. Nothing was asked. */
    static UnavailableException certificate(String detail, Throwable cause) {
        String hint = "Name its authority with caFile or in OUTLAST_CA_FILE.";
        return new UnavailableException(problem("unavailable", detail, hint, 0, null), cause);
    }

    @Override boolean passing() {
        return super.passing() && !Transport.isUntrusted(getCause());
    }
}
