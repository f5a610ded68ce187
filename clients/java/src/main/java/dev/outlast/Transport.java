package dev.outlast;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** The way to one server: calls of its API, their time limits and repeats. */
final class Transport {
    private static final System.Logger LOG = System.getLogger("dev.outlast");

    /** A call. One that may do harm twice is made once. */
    record Call(String method, String path, String body, Duration timeout, boolean repeat) {
        static Call get(String path) {
            return new Call("GET", path, null, null, true);
        }

        static Call post(String path, String body) {
            return new Call("POST", path, body, null, true);
        }

        Call within(Duration limit) {
            return new Call(method, path, body, limit, repeat);
        }

        Call once() {
            return new Call(method, path, body, timeout, false);
        }
    }

    /** Times are by the monotonic clock: before the request was sent, and when the answer was there. */
    record Answer(int status, Object data, long sent, long received) {}

    private final URI server;
    private final SSLContext tls;
    private final Map<String, String> headers = new LinkedHashMap<>(Map.of("User-Agent", "outlast-java", "Accept", "application/json"));
    private final HttpExchange http;
    private final int tries;
    final Duration timeout;
    final Clock clock;

    Transport(URI server, String token, SSLContext tls, Duration timeout, int tries, Clock clock) {
        this.server = server;
        this.tls = tls;
        if (!token.isEmpty()) headers.put("Authorization", "Bearer " + token);
        this.http = new HttpExchange(server, headers, tls, clock);
        this.timeout = timeout;
        this.tries = tries;
        this.clock = clock;
    }

    /** A connection of its own, for one thread. */
    SocketExchange connection() {
        return new SocketExchange(server, headers, tls, clock);
    }

    static String part(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Makes a call; one that may be repeated is, within the time that all tries have together. */
    Answer call(Call call) {
        return call(call, http);
    }

    Answer call(Call call, Exchange exchange) {
        long until = clock.now() + Clock.nanos(call.timeout == null ? timeout : call.timeout);
        for (int tried = 1; ; tried++) {
            try {
                return attempt(call, exchange, until);
            } catch (OutlastException error) {
                long wait = clock.pause(tried, error);
                if (!call.repeat || tried >= tries || !error.passing() || clock.now() + wait - until >= 0) throw error;
                LOG.log(System.Logger.Level.DEBUG, "{0} {1} is tried again: {2}", call.method, call.path, error.getMessage());
                rest(wait, error);
            }
        }
    }

    /** Sleeps; an interrupt gives up, with the error that there was. */
    void rest(long nanos, OutlastException error) {
        try {
            clock.sleep(nanos);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw error;
        }
    }

    private Answer attempt(Call call, Exchange exchange, long until) {
        byte[] body = call.body == null ? null : call.body.getBytes(StandardCharsets.UTF_8);
        long sent = clock.now();
        try {
            String base = server.getRawPath() == null ? "" : server.getRawPath().replaceAll("/+$", "");
            return answer(exchange.send(call.method, base + call.path, body, until), sent);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw UnavailableException.of("the thread was interrupted before the answer was there", interrupted);
        } catch (IOException failure) {
            String why = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
            if (isUntrusted(failure)) throw UnavailableException.certificate("the certificate of " + server.getAuthority() + " is not good: " + why, failure);
            throw UnavailableException.of("no answer from " + server.getAuthority() + ": " + why, failure);
        }
    }

    static boolean isUntrusted(Throwable failure) {
        for (Throwable one = failure; one != null; one = one.getCause()) if (one instanceof CertificateException) return true;
        return false;
    }

    private Answer answer(Exchange.Reply reply, long sent) {
        boolean good = reply.status() < 300;
        try {
            Object data = reply.body().length == 0 && good ? null : Json.read(reply.body());
            if (good) return new Answer(reply.status(), data, sent, clock.now());
            String request = reply.headers().getOrDefault("x-request-id", "");
            throw OutlastException.of(Fields.of(data, Codec.json()), reply.status(), request, retryAfter(reply.headers()));
        } catch (CodecException | DateTimeException broken) {
            if (!good) throw noProblem(reply);
            throw UnavailableException.of("the answer of " + server.getAuthority() + " is no JSON", broken); // the outcome is not known
        }
    }

    private static OutlastException noProblem(Exchange.Reply reply) {
        boolean known = reply.status() >= 502 && reply.status() <= 504;
        OutlastException.Problem problem = OutlastException.problem(
            known ? "unavailable" : OutlastException.NO_PROBLEM, "the answer is no problem document: " + reply.status(), "Is this an Outlast server?",
            reply.status(), retryAfter(reply.headers()));
        return known ? new UnavailableException(problem, null) : new OutlastException(problem, null);
    }

    /** The header; a date counts from the server's own clock. */
    private static Duration retryAfter(Map<String, String> headers) {
        String text = headers.get("retry-after");
        if (text == null) return null;
        try {
            if (text.matches("[0-9]{1,9}")) return Duration.ofSeconds(Long.parseLong(text));
            Duration until = Duration.between(date(headers.get("date")), date(text));
            return until.isNegative() ? Duration.ZERO : until;
        } catch (DateTimeException | NullPointerException broken) {
            return null;
        }
    }

    private static ZonedDateTime date(String text) {
        return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
    }
}
