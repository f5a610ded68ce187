package dev.outlast;

import java.time.Duration;
import java.util.List;

/**
 * A refusal of the server, or no answer at all, whose status is 0. The code is stable, for programs; the other texts are
 * for people.
 */
public class OutlastException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** The code of an answer that is no problem document; of the server it comes with 500 alone. */
    static final String NO_PROBLEM = "internal";

    /** What is wrong where in a request. */
    public record Field(String path, String message) {}

    /** What a problem document (RFC 9457) has. */
    record Problem(
            String code, String title, String detail, String hint, List<Field> fields, String state, String existing, int status,
            String requestId, Duration retryAfter) {
        Problem {
            fields = List.copyOf(fields);
        }

        String text() {
            StringBuilder text = new StringBuilder(detail.isEmpty() ? title : detail);
            for (Field field : fields) {
                if (detail.contains(field.message)) continue;
                text.append(text.isEmpty() ? "" : ": ").append(field.path).append(": ").append(field.message);
            }
            return text + " (" + code + ")" + (hint.isEmpty() ? "" : ". " + hint);
        }
    }

    private final transient Problem problem;

    OutlastException(Problem problem, Throwable cause) {
        super(problem.text(), cause);
        this.problem = problem;
    }

    /** The exception for a problem document. */
    static OutlastException of(Fields of, int status, String requestId, Duration retryAfter) {
        Problem problem = new Problem(
            of.required("code"), of.text("title"), of.text("detail"), of.text("hint"),
            of.list("errors", one -> new Field(one.text("path"), one.text("message"))), of.text("state"), of.text("existing"), status,
            requestId, of.has("retry_after") ? of.duration("retry_after") : retryAfter);
        return switch (problem.code) {
            case "invalid", "too_large" -> new InvalidException(problem);
            case "not_found" -> new NotFoundException(problem);
            case "conflict", "managed_by_file", "id_conflict", "dedupe_conflict", "stale_claim", "no_handler" -> new ConflictException(problem);
            case "queue_full" -> new QueueFullException(problem);
            case "unauthenticated", "denied", "rate_limited" -> new DeniedException(problem);
            case "unavailable", "dedupe_busy" -> new UnavailableException(problem, null);
            default -> new OutlastException(problem, null);
        };
    }

    static Problem problem(String code, String detail, String hint, int status, Duration retryAfter) {
        return new Problem(code, "", detail, hint, List.of(), "", "", status, "", retryAfter);
    }

    /** What is wrong, for programs. */
    public String code() {
        return problem.code;
    }

    /** The HTTP status; 0 where there was no answer. */
    public int status() {
        return problem.status;
    }

    /** What is wrong this time. */
    public String detail() {
        return problem.detail;
    }

    /** What to do about it. */
    public String hint() {
        return problem.hint;
    }

    /** What is wrong where in the request. */
    public List<Field> fields() {
        return problem.fields;
    }

    /** The id of the request in the log of the server. */
    public String requestId() {
        return problem.requestId;
    }

    /** When the server wants to be asked again; null if it has not said so. */
    public Duration retryAfter() {
        return problem.retryAfter;
    }

    /** What the task is, where that is the problem. */
    public String state() {
        return problem.state;
    }

    /** The id of the task in the way. */
    public String existing() {
        return problem.existing;
    }

    /** Whether it may be gone at the next try. A full queue is for the caller to wait for. */
    boolean passing() {
        if (code().equals("rate_limited") || code().equals("queue_full")) return false;
        return List.of(0, 429, 502, 503, 504).contains(status());
    }

    /** Whether the server would refuse the same again, or a proxy, to which the body is too long. */
    boolean refused() {
        return code().equals("invalid") || code().equals("too_large") || status() == 413;
    }

    /** Whether the server would refuse any such request again. What is no problem document may come from a proxy. */
    boolean isFinal() {
        if (status() == 401 || status() == 403) return true;
        return status() >= 400 && status() < 500 && status() != 408 && !code().equals(NO_PROBLEM) && !passing();
    }
}
