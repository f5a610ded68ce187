package dev.outlast;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs a handler for one attempt without a server, and shows its verdict: {@code HandlerTest.of(Order.class,
 * handler).payload(order).run()}. The payload is what JSON makes of it.
 */
public final class HandlerTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    /**
     * What the server would be told of an attempt. The outcome is succeeded; failed: the policy decides about a retry;
     * snoozed; dead; canceled; or released. The error has message, type and stack, and category and code where the worker
     * tells them. Steps are all that are done: give them to the next attempt.
     */
    public record Verdict(
            String outcome, Payload result, Map<String, String> error, Duration retryAfter, List<Step> steps, Payload progress) {}

    private final Ending.Registered<?> handler;
    private final Map<String, Object> task = new LinkedHashMap<>(Map.of("id", TaskId.create(), "type", "test", "state", "running"));
    private Codec codec = Codec.json();
    private Object payload;
    private int attempt = 1;
    private List<Step> steps = List.of();
    private StopReason stop;
    private Instant now = Instant.now();

    private HandlerTest(Ending.Registered<?> handler) {
        this.handler = handler;
    }

    /** Begins a test of a handler. */
    public static <I> HandlerTest of(Class<I> input, Handler<I> handler) {
        return new HandlerTest(new Ending.Registered<>(input, handler));
    }

    /** The payload of the task. */
    public HandlerTest payload(Object payload) {
        this.payload = payload;
        return this;
    }

    /** The number of the attempt; 1 if it is not called. */
    public HandlerTest attempt(int attempt) {
        this.attempt = attempt;
        return this;
    }

    /** The steps that are done, and signals that have come. */
    public HandlerTest steps(List<Step> steps) {
        this.steps = List.copyOf(steps);
        return this;
    }

    /** Tells the handler to stop from the start. */
    public HandlerTest stop(StopReason reason) {
        this.stop = Objects.requireNonNull(reason, "reason");
        return this;
    }

    /** What the clock of the server says, for sleeps and waits. */
    public HandlerTest now(Instant now) {
        this.now = Objects.requireNonNull(now, "now");
        return this;
    }

    /** The codec, if the client has one of its own. */
    public HandlerTest codec(Codec codec) {
        this.codec = Objects.requireNonNull(codec, "codec");
        return this;
    }

    /** A signal that has come, to be given as one of the steps. */
    public static Step signal(String name, Object payload) {
        Codec plain = Codec.json();
        return new Step(name, 0, "signal", new Payload(plain.encode(payload), plain), false, null);
    }

    /** Runs one attempt. */
    public Verdict run() {
        task.put("payload", Json.read(codec.encode(payload)));
        task.put("attempt", new Json.Num(String.valueOf(attempt)));
        task.put("lease_until", now.plus(LEASE).toString());
        Task made = Task.of(Fields.of(task, codec));
        Context context = new Context(made, steps, codec, Clock.SYSTEM, Clock.SYSTEM.now(), LEASE, item -> {});
        if (stop != null) context.stop(stop);
        Ending ending = Ending.of(handler, context, codec);
        return new Verdict(ending.outcome(), ending.result(), ending.error(), ending.retryAfter(), context.steps(), context.progress());
    }
}
