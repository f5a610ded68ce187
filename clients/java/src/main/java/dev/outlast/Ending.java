package dev.outlast;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** How an attempt ended. Whatever a handler does, there is an ending that can be sent. */
record Ending(String outcome, Payload result, Map<String, String> error, Duration retryAfter) {
    private static final int MOST_RESULT = 64 << 10, MOST_TEXT = 16_000, MOST_STACK = 8_000, MOST_TYPE = 128;

    /** A handler with the type of what it takes. */
    record Registered<I>(Type input, Handler<I> handler) {
        Object handle(Context context, Payload payload) throws Exception {
            I value;
            try {
                @SuppressWarnings("unchecked") // the builder has both of one type
                I decoded = (I) payload.as(input);
                value = decoded;
            } catch (RuntimeException | StackOverflowError failure) {
                throw TaskException.badPayload(failure);
            }
            return handler.handle(context, value);
        }
    }

    static Ending released() {
        return new Ending("released", null, Map.of(), null);
    }

    static Ending failed(Throwable failure) {
        return new Ending("failed", null, describe(failure), null);
    }

    /** Runs a handler. */
    static Ending of(Registered<?> registered, Context context, Codec codec) {
        context.begin();
        try {
            Object value = registered.handle(context, context.task().payload());
            return new Ending("succeeded", value == null ? null : encode(value, codec, "the result"), Map.of(), null);
        } catch (RetryAfter wish) {
            return new Ending("failed", null, wished(wish), fromNow(wish.delay()));
        } catch (Snooze wish) {
            return new Ending("snoozed", null, Map.of(), fromNow(wish.delay()));
        } catch (GiveUp wish) {
            return new Ending("dead", null, wished(wish), null);
        } catch (Cancel wish) {
            return new Ending("canceled", null, wished(wish), null);
        } catch (Throwable failure) {
            return failed(failure, failure instanceof Stopped stopped ? stopped.reason() : context.stopReason());
        } finally {
            context.end();
        }
    }

    /** The server takes no time that is over. */
    private static Duration fromNow(Duration delay) {
        return delay != null && delay.isNegative() ? Duration.ZERO : delay;
    }

    private static Ending failed(Throwable failure, StopReason reason) {
        if (reason == StopReason.STOPPING || reason == StopReason.LEASE_LOST) return released();
        Map<String, String> error = describe(failure);
        if (reason == StopReason.CANCELED) return new Ending("canceled", null, error, null);
        if (reason == StopReason.TIMEOUT && isStop(failure)) error.put("category", "timeout");
        return new Ending("failed", null, error, null);
    }

    private static boolean isStop(Throwable failure) {
        for (Throwable one = failure; one != null; one = one.getCause()) {
            if (one instanceof Stopped || one instanceof InterruptedException || one instanceof ClosedByInterruptException) return true;
        }
        return false;
    }

    /** The JSON form of a result; bad_result where it has none, or too long a one. */
    static Payload encode(Object value, Codec codec, String what) {
        Payload made;
        try {
            made = value instanceof Payload given ? given : new Payload(codec.encode(value), codec);
            Json.read(made.bytes());
        } catch (RuntimeException | StackOverflowError failure) {
            throw TaskException.badResult(what + " has no JSON form: " + text(failure));
        }
        int size = made.bytes().length;
        if (size > MOST_RESULT) throw TaskException.badResult(what + " has " + size + " bytes; " + MOST_RESULT + " are the limit");
        return made;
    }

    /** The error that a handler steers with: its cause, if there is one, below its own text. */
    private static Map<String, String> wished(Steering wish) {
        if (wish.getCause() == null) return describe(wish);
        Map<String, String> error = describe(wish.getCause());
        if (wish.getMessage() != null) error.put("message", text(wish) + ": " + error.get("message"));
        return error;
    }

    /** A failure as the server keeps it. */
    private static Map<String, String> describe(Throwable failure) {
        Throwable of = unwrapped(failure);
        Map<String, String> error = new LinkedHashMap<>();
        String type = Wire.sendable(of.getClass().getName());
        error.put("message", text(of));
        error.put("type", type.substring(Math.max(0, type.length() - MOST_TYPE)));
        error.put("stack", stack(of));
        if (of instanceof TaskException own) {
            if (own.category() != null && !own.category().isEmpty()) error.put("category", own.category());
            if (own.code() != null && !own.code().isEmpty()) error.put("code", own.code());
        } else if (of instanceof SQLException sql && sql.getSQLState() != null) {
            error.put("code", Wire.sendable(sql.getSQLState()));
        }
        return error;
    }

    /** What failed, and not what carried it through a future or a proxy. */
    private static Throwable unwrapped(Throwable failure) {
        Throwable of = failure;
        while (of.getCause() != null
            && (of instanceof ExecutionException || of instanceof CompletionException || of instanceof UndeclaredThrowableException)) {
            of = of.getCause();
        }
        return of;
    }

    private static String text(Throwable failure) {
        try {
            String text = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
            return cut(text, MOST_TEXT);
        } catch (Throwable broken) {
            return "a " + failure.getClass().getSimpleName() + " that cannot be printed";
        }
    }

    private static String stack(Throwable failure) {
        try {
            StringWriter stack = new StringWriter();
            failure.printStackTrace(new PrintWriter(stack));
            return cut(stack.toString(), MOST_STACK);
        } catch (Throwable broken) {
            return "";
        }
    }

    private static String cut(String text, int most) {
        return Wire.sendable(text.substring(0, Math.min(most, text.length())));
    }

    /** The ending as it is settled. */
    Map<String, Object> body(Held.Key key) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("id", key.id());
        body.put("claim", key.claim());
        body.put("outcome", outcome);
        if (!error.isEmpty()) body.put("error", error);
        if (retryAfter != null) body.put("retry_after", Wire.duration(retryAfter));
        if (result != null) body.put("result", result);
        return body;
    }

    boolean isBadResult() {
        return "bad_result".equals(error.get("code"));
    }
}
