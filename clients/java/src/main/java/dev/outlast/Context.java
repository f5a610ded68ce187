package dev.outlast;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * What a handler gets beside its input: its task, and what it may do besides returning a result. When the handler is to
 * stop, its thread is interrupted, and {@link #checkStopped}, {@link #pause} and the next step throw {@link Stopped}.
 */
public final class Context {
    private static final System.Logger LOG = System.getLogger("dev.outlast.worker");
    private static final ThreadLocal<Context> CURRENT = new ThreadLocal<>();
    private static final int MOST_PROGRESS = 4 << 10;

    /** Work that gives nothing. */
    @FunctionalInterface
    public interface Work {
        /** Does it. */
        void run() throws Exception;
    }

    /** Keeps a step; when it returns, the step is on disk. */
    interface Recorder {
        void record(Map<String, Object> step);
    }

    private record StepKey(String name, int occurrence) {}

    private final Task task;
    private final Codec codec;
    private final Clock clock;
    private final Recorder recorder;
    private final long received;
    private final Instant leasedAt; // what the clock of the server said
    private final Long ends;
    private final Map<StepKey, Step> done = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Set<String> underWay = new HashSet<>();
    private final List<Runnable> onStop = new ArrayList<>();
    private Thread thread; // that runs the handler
    private volatile StopReason stopReason;
    private volatile Payload progress;

    Context(Task task, List<Step> steps, Codec codec, Clock clock, long received, Duration lease, Recorder recorder) {
        this.task = task;
        this.codec = codec;
        this.clock = clock;
        this.received = received;
        this.recorder = recorder;
        this.leasedAt = task.leaseUntil() == null ? null : task.leaseUntil().minus(lease);
        boolean limited = leasedAt != null && task.attemptEnds() != null;
        this.ends = limited ? (Long) (received + Clock.nanos(Duration.between(leasedAt, task.attemptEnds()))) : null;
        steps.forEach(step -> done.put(new StepKey(step.name(), step.occurrence()), step));
    }

    /** The context of the handler that this thread runs, for code that is not given it. */
    public static Context current() {
        Context found = CURRENT.get();
        if (found == null) throw new IllegalStateException("this thread runs no handler");
        return found;
    }

    /** The task as it was when it was leased. */
    public Task task() {
        return task;
    }

    /** The id of the task, the same at every attempt. */
    public String id() {
        return task.id();
    }

    /** The number of this attempt, from 1. */
    public int attempt() {
        return task.attempt();
    }

    /** The time until the attempt's time is over; empty if it has no limit. */
    public Optional<Duration> timeLeft() {
        return Optional.ofNullable(ends).map(end -> Duration.ofNanos(end - clock.now()));
    }

    /** Why the handler is to stop; null while it is not. */
    public StopReason stopReason() {
        return stopReason;
    }

    /** Throws Stopped if the handler is to stop. Call it now and then in long work. */
    public void checkStopped() {
        if (stopReason != null) throw new Stopped(stopReason);
    }

    /** Sleeps in place, unless the handler is to stop: that throws Stopped. */
    public void pause(Duration span) throws InterruptedException {
        checkStopped();
        try {
            Thread.sleep(span.toMillis(), span.toNanosPart() % 1_000_000);
        } catch (InterruptedException interrupted) {
            checkStopped();
            throw interrupted;
        }
        checkStopped();
    }

    /** Calls something when the handler is to stop, at once if it is already; it must not block. */
    public void onStop(Runnable call) {
        synchronized (this) {
            if (stopReason == null) {
                onStop.add(call);
                return;
            }
        }
        call.run();
    }

    /** Says how far the attempt is: JSON of at most 4 KiB, shown with the task. */
    public void progress(Object value) {
        Payload made = new Payload(codec.encode(value), codec);
        int size = made.bytes().length;
        if (size > MOST_PROGRESS) throw new IllegalArgumentException("the progress has " + size + " bytes; " + MOST_PROGRESS + " are the limit");
        progress = made;
    }

    /**
     * Does a part of the work once, and returns what it gave, as JSON keeps it.
     *
     * <p>When it returns, the result is on disk, and a later attempt gets it without doing the work again. If the work
     * throws, nothing is kept. A name that is asked for several times, one after the other, has occurrences, which are
     * counted.
     *
     * <p>A process that is killed between the effect and its record does the step again: give what the work calls a key,
     * such as the id of the task with the name of the step.
     */
    public <R> R step(String name, Class<R> type, Callable<R> work) throws Exception {
        return step(name, type, work, null);
    }

    /** The same; what undoes the step if the step's own task dies is made from its result. */
    public <R> R step(String name, Class<R> type, Callable<R> work, Function<R, Compensation> undo) throws Exception {
        return takeStep(name, work, undo).as(type);
    }

    /** The same for a result of a type with arguments. */
    public <R> R step(String name, TypeRef<R> type, Callable<R> work, Function<R, Compensation> undo) throws Exception {
        return takeStep(name, work, undo).as(type);
    }

    /** Does a part of the work once that gives nothing. */
    public void step(String name, Work work) throws Exception {
        takeStep(name, () -> {
            work.run();
            return null;
        }, null);
    }

    private <R> Payload takeStep(String name, Callable<R> work, Function<R, Compensation> undo) throws Exception {
        StepKey key = beginStep(name);
        boolean kept = false;
        try {
            Step found = found(key);
            if (found != null) {
                kept = true;
                return found.result();
            }
            checkStopped();
            Instant started = serverNow();
            R result = work.call();
            Payload payload = keep(key, result, undo == null ? null : undo.apply(result), started);
            kept = true;
            return payload;
        } finally {
            endStep(name, kept);
        }
    }

    private synchronized StepKey beginStep(String name) {
        if (!underWay.add(name)) throw TaskException.badStep("step \"" + name + "\" runs already");
        return new StepKey(name, counts.merge(name, 1, Integer::sum));
    }

    private synchronized void endStep(String name, boolean kept) {
        underWay.remove(name);
        if (!kept) counts.merge(name, -1, Integer::sum); // the handler may ask for it again
    }

    private synchronized Step found(StepKey key) {
        return done.get(key);
    }

    /**
     * Lets the task wait without a slot: it is snoozed, and the run after that goes on from here. The end is kept as a step
     * of the name, by the clock of the server. Less than a second is waited for in place.
     */
    public void sleep(String name, Duration span) throws InterruptedException {
        Duration left = Duration.between(now(), endOf(name, span));
        if (left.compareTo(Duration.ofSeconds(1)) >= 0) throw new Snooze(left);
        if (!left.isNegative()) pause(left);
    }

    /** Waits for a signal, and looks again every ten seconds. */
    public <T> T awaitSignal(String name, Class<T> type, Duration timeout) {
        return awaitSignal(name, type, timeout, Duration.ofSeconds(10));
    }

    /**
     * Waits for the signal of a name, and returns its payload. The task waits without a slot: it is snoozed and looks again
     * so often, since signals wake only tasks of Go handlers. When the timeout is over, which counts from the first call,
     * SignalTimeoutException is thrown.
     */
    public <T> T awaitSignal(String name, Class<T> type, Duration timeout, Duration every) {
        Step signal = found(new StepKey(name, 0));
        if (signal != null && signal.type().equals("signal")) return signal.result().as(type);
        Duration left = Duration.between(now(), endOf(name, timeout));
        if (signal != null || left.isNegative() || left.isZero()) throw new SignalTimeoutException(name);
        Duration next = left.compareTo(every) < 0 ? left : every;
        throw new Snooze(next.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : next);
    }

    private record Until(Instant until) {}

    private Instant endOf(String name, Duration span) {
        StepKey key = new StepKey(name, 1);
        Step found = found(key);
        Codec plain = Codec.json();
        if (found != null) return new Payload(found.result().bytes(), plain).as(Until.class).until();
        Instant until = now().plus(span);
        keep(key, new Payload(plain.encode(new Until(until)), codec), null, null);
        return until;
    }

    private Payload keep(StepKey key, Object result, Compensation undo, Instant started) {
        Map<String, Object> item = new LinkedHashMap<>(Map.of("id", task.id(), "claim", task.claim()));
        item.put("name", key.name);
        item.put("occurrence", key.occurrence);
        Payload kept = result == null ? Payload.none(codec) : Ending.encode(result, codec, "the result of the step");
        if (result != null) item.put("result", kept);
        if (undo != null) item.put("compensation", body(undo));
        if (started != null) item.put("started_at", started.toString());
        recorder.record(item);
        synchronized (this) {
            done.put(key, new Step(key.name, key.occurrence, "", kept, false, undo));
        }
        return kept;
    }

    private Map<String, Object> body(Compensation undo) {
        Map<String, Object> body = new LinkedHashMap<>(Map.of("type", undo.type()));
        if (undo.payload() != null) body.put("payload", Ending.encode(undo.payload(), codec, "the payload of the undo"));
        return body;
    }

    /** What the clock of the server says, whatever that of this machine does; null if it has not said. */
    Instant serverNow() {
        return leasedAt == null ? null : leasedAt.plusNanos(clock.now() - received);
    }

    private Instant now() {
        Instant now = serverNow();
        if (now == null) throw TaskException.badStep("the server has not said until when the task is leased");
        return now;
    }

    /** When the attempt's time is over, by the monotonic clock; null if it has no limit. */
    Long ends() {
        return ends;
    }

    Payload progress() {
        return progress;
    }

    void dropProgress() {
        progress = null;
    }

    synchronized List<Step> steps() {
        return List.copyOf(done.values());
    }

    /** Tells the handler to stop. The first reason stands. */
    void stop(StopReason reason) {
        List<Runnable> calls;
        synchronized (this) {
            if (stopReason != null) return;
            stopReason = reason;
            if (thread != null) thread.interrupt();
            calls = List.copyOf(onStop);
        }
        for (Runnable call : calls) {
            try {
                call.run();
            } catch (RuntimeException | Error failure) {
                LOG.log(System.Logger.Level.ERROR, "task " + id() + ": a callback of onStop failed", failure);
            }
        }
    }

    synchronized void begin() {
        CURRENT.set(this);
        thread = Thread.currentThread();
        if (stopReason != null) thread.interrupt();
    }

    /** From here on the thread is not interrupted any more. */
    void end() {
        synchronized (this) {
            thread = null;
        }
        CURRENT.remove();
        Thread.interrupted();
    }
}
