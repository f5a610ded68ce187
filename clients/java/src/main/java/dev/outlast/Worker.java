package dev.outlast;

import java.lang.reflect.Type;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;

/**
 * Runs tasks of a server, with a handler for each type.
 *
 * <p>Three threads serve the handlers, each of which has a thread of its own. One polls, for as many tasks as there are
 * free slots. One keeps the leases. One tells how attempts ended. If one of the three dies, the worker ends with an error.
 *
 * <p>Leases are measured by the monotonic clock: a task is ours for the length of its lease from <em>before</em> it was
 * asked for, and certainly not ours any more that long <em>after</em> the answer was there. Wall clocks do not matter.
 */
public final class Worker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.outlast.worker");
    private static final Duration LONGEST_POLL = Duration.ofSeconds(20);
    private static final long FOREVER = Long.MAX_VALUE;

    private final Map<String, Ending.Registered<?>> handlers;
    private final Codec codec;
    private final Clock clock;
    private final Duration lease, grace, releaseAfter;
    private final ThreadFactory threads;
    private final Alarm alarm = new Alarm();
    private final StepKeeper steps;
    private final Leases leases;
    final Hand hand;
    final Poller poller;
    final Settler settler;
    private Thread background;
    private RuntimeException failure; // of the background
    private boolean started;

    private Worker(Builder builder) {
        OutlastClient client = builder.client;
        WorkerCalls calls = new WorkerCalls(client);
        handlers = Map.copyOf(builder.handlers);
        codec = client.codec;
        clock = client.transport.clock;
        lease = builder.lease;
        grace = builder.grace;
        releaseAfter = builder.releaseAfter;
        threads = builder.threads;
        hand = new Hand(builder.concurrency);
        Duration wait = lease.dividedBy(3).compareTo(LONGEST_POLL) < 0 ? lease.dividedBy(3) : LONGEST_POLL;
        poller = new Poller(calls, client.transport, builder.poll(wait), wait, hand, this::take);
        leases = new Leases(calls, lease, hand, clock);
        settler = new Settler(calls, hand, clock, alarm);
        steps = new StepKeeper(calls, leases, hand, clock, alarm);
    }

    /** Begins a worker. */
    public static Builder builder(OutlastClient client) {
        return new Builder(client);
    }

    /** Says what a worker runs, and how. */
    public static final class Builder {
        private final OutlastClient client;
        private final Map<String, Ending.Registered<?>> handlers = new TreeMap<>();
        private List<String> queues = List.of("default");
        private int concurrency = 10;
        private Duration lease = Duration.ofSeconds(30), grace = Duration.ofSeconds(20), releaseAfter = Duration.ofSeconds(5);
        private String name = "";
        private String release = System.getenv().getOrDefault("OUTLAST_RELEASE", "");
        private ThreadFactory threads = Worker::thread;

        private Builder(OutlastClient client) {
            this.client = Objects.requireNonNull(client, "client");
        }

        /** Sets the handler of a type of tasks, which is given the payload as a value of a class. */
        public <I> Builder handler(String type, Class<I> input, Handler<I> handler) {
            return register(type, input, handler);
        }

        /** The same for a payload of a type with arguments. */
        public <I> Builder handler(String type, TypeRef<I> input, Handler<I> handler) {
            return register(type, input.type(), handler);
        }

        private <I> Builder register(String type, Type input, Handler<I> handler) {
            Objects.requireNonNull(handler, "handler");
            if (handlers.putIfAbsent(type, new Ending.Registered<>(input, handler)) != null) {
                throw new IllegalArgumentException("the type \"" + type + "\" has two handlers");
            }
            return this;
        }

        /** Runs the tasks of a {@linkplain DurableTask durable interface} by calls of an implementation. */
        public <T> Builder implement(Class<T> type, T implementation) {
            DurableMethods.of(type).register(Objects.requireNonNull(implementation, "implementation"), this);
            return this;
        }

        /** The queues whose tasks it takes; "default" if it is not called. */
        public Builder queues(String... queues) {
            this.queues = List.of(queues);
            return this;
        }

        /** How many attempts run at once, 1 to 1000; 10 if it is not called. */
        public Builder concurrency(int concurrency) {
            if (concurrency < 1 || concurrency > 1000) throw new IllegalArgumentException("concurrency is 1 to 1000");
            this.concurrency = concurrency;
            return this;
        }

        /** How long a task stays this worker's without a word of it, 1 s to 1 h; 30 s if it is not called. */
        public Builder lease(Duration lease) {
            if (lease.toMillis() < 1000 || lease.compareTo(Duration.ofHours(1)) > 0) throw new IllegalArgumentException("lease is 1 s to 1 h");
            this.lease = lease;
            return this;
        }

        /** How long running handlers have at a stop before they are told to stop; 20 s if it is not called. */
        public Builder grace(Duration grace) {
            this.grace = Objects.requireNonNull(grace, "grace");
            return this;
        }

        /** How long they have after that before their tasks are handed back; 5 s if it is not called. */
        public Builder releaseAfter(Duration span) {
            this.releaseAfter = Objects.requireNonNull(span, "releaseAfter");
            return this;
        }

        /** The name of the process, unlike that of any other; one is made up if it is not called. */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /** The release of your program, for statistics; {@code OUTLAST_RELEASE} if it is not called. */
        public Builder release(String release) {
            this.release = Objects.requireNonNull(release, "release");
            return this;
        }

        /** What makes the threads of handlers, such as virtual ones; daemon threads if it is not called. */
        public Builder threads(ThreadFactory threads) {
            this.threads = Objects.requireNonNull(threads, "threads");
            return this;
        }

        /** The worker. */
        public Worker build() {
            if (handlers.isEmpty()) throw new IllegalArgumentException("the worker has no handlers");
            return new Worker(this);
        }

        private Map<String, Object> poll(Duration wait) {
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("worker", name.isEmpty() ? "java-" + host() + "-" + TaskId.create() : name);
            if (!release.isEmpty()) body.put("release", release);
            body.put("queues", queues);
            body.put("types", new ArrayList<>(handlers.keySet()));
            body.put("wait", Wire.duration(wait));
            body.put("lease", Wire.duration(lease));
            return body;
        }

        private static String host() {
            try {
                String host = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9.-]", "-");
                return host.substring(0, Math.min(40, host.length()));
            } catch (UnknownHostException unknown) {
                return "host";
            }
        }
    }

    private static Thread thread(Runnable work) {
        Thread made = new Thread(work, "outlast");
        made.setDaemon(true);
        return made;
    }

    /** Ends run(): no more tasks are fetched, and those in hand are ended. It does not wait for that. */
    public void stop() {
        alarm.ring();
    }

    /**
     * Works until stop(), or an interrupt, which is the same. An error that trying again cannot mend is thrown: a
     * DeniedException for a token that is not good, a WorkerException for a part that died.
     */
    public void run() {
        claimStart();
        List<Thread> helpers = List.of(
            helper("poll", poller::run), helper("extend", leases::run), helper("settle", settler::run));
        try {
            helpers.forEach(Thread::start);
            alarm.await(FOREVER);
            poller.stop();
            drain();
            hand.finish();
            settler.close();
            helpers.forEach(Worker::join);
            alarm.throwFailure();
        } catch (RuntimeException | Error broken) {
            abandon();
            throw broken;
        }
    }

    /** Works in the background until close(). As long as it does, the JVM goes on. */
    public synchronized Worker start() {
        if (background != null) throw new IllegalStateException("a worker runs once");
        background = thread(() -> {
            try {
                run();
            } catch (RuntimeException broken) {
                failure = broken;
                LOG.log(System.Logger.Level.ERROR, "the worker has ended: {0}", broken.getMessage());
            }
        });
        background.setDaemon(false);
        background.start();
        return this;
    }

    /** Whether start() was called and the worker has not ended. */
    public synchronized boolean isRunning() {
        return background != null && background.isAlive();
    }

    /** Stops what start() has started, and returns when it has ended. The error that had ended it is thrown. */
    @Override public void close() {
        Thread running;
        synchronized (this) {
            running = background;
        }
        if (running == null) return;
        stop();
        join(running);
        if (failure != null) throw failure;
    }

    /**
     * Works until the JVM is told to end, by SIGTERM or SIGINT: its end waits for that of the worker. The exit status is
     * that of every JVM that a signal ends, 143 or 130.
     */
    public void runUntilShutdown() {
        Thread main = Thread.currentThread();
        Thread hook = new Thread(() -> {
            stop();
            join(main);
        });
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            run();
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException atIt) {
                // the JVM ends
            }
        }
    }

    private synchronized void claimStart() {
        if (started) throw new IllegalStateException("a worker runs once");
        started = true;
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    private interface Loop {
        void run() throws InterruptedException;
    }

    /** Without one of its parts the worker would go on taking tasks that it cannot end. */
    private Thread helper(String name, Loop loop) {
        return thread(() -> {
            try {
                loop.run();
                alarm.ring();
            } catch (DeniedException refusal) {
                alarm.fail(refusal);
            } catch (Throwable broken) {
                alarm.fail(new WorkerException("the worker stopped, since " + name + " died: " + broken, broken));
            }
        });
    }

    private void drain() {
        if (empties(Clock.nanos(grace))) return;
        hand.all().forEach(held -> held.context.stop(StopReason.STOPPING));
        if (empties(Clock.nanos(releaseAfter))) return;
        hand.all().forEach(this::handBack);
        empties(FOREVER);
    }

    /** Waits until there is nothing in hand; false when the time is over. */
    private boolean empties(long nanos) {
        long since = clock.now();
        while (!hand.isEmpty()) if (!alarm.await(nanos - (clock.now() - since))) return hand.isEmpty();
        return true;
    }

    private void handBack(Held held) {
        if (end(held, Ending.released())) LOG.log(System.Logger.Level.WARNING, "{0} is handed back while its handler still runs", held);
    }

    /** Stops everything at once; leases end by themselves. */
    private void abandon() {
        alarm.breakOff();
        hand.finish();
        poller.stop();
        hand.all().forEach(held -> held.context.stop(StopReason.STOPPING));
        settler.close();
    }

    /** Starts a task, or hands it back. */
    private void take(Task task, Transport.Answer answer, boolean beyond) {
        Held[] held = new Held[1];
        Context context = new Context(task, task.steps(), codec, clock, answer.received(), lease, step -> steps.keep(held[0], step));
        held[0] = new Held(new Held.Key(task.id(), task.claim()), context);
        held[0].leased(answer, Clock.nanos(lease));
        if (!hand.add(held[0])) {
            LOG.log(System.Logger.Level.ERROR, "{0} was given twice under one claim", held[0]);
            hand.giveRoom(1);
            return;
        }
        boolean ours = clock.now() - held[0].oursUntil < 0;
        if (beyond || !ours || hand.stopping() || !begins(held[0])) end(held[0], Ending.released());
    }

    private boolean begins(Held held) {
        try {
            threads.newThread(() -> attempt(held)).start();
            return true;
        } catch (OutOfMemoryError | RuntimeException failure) { // the system has no thread to give
            LOG.log(System.Logger.Level.ERROR, "{0} is handed back, since no thread can be started: {1}", held, failure);
            return false;
        }
    }

    private void attempt(Held held) {
        Ending ending = Ending.failed(TaskException.badResult("how the attempt ended cannot be told"));
        try {
            ending = Ending.of(handlers.getOrDefault(held.context.task().type(), NONE), held.context, codec);
        } finally {
            end(held, ending);
        }
    }

    private static final Ending.Registered<Payload> NONE = new Ending.Registered<>(Payload.class, (context, payload) -> {
        throw new GiveUp("this worker has no handler for the type \"" + context.task().type() + "\"");
    });

    /** False where it has ended before: it was handed back. */
    private boolean end(Held held, Ending ending) {
        synchronized (hand) {
            if (held.ended) return false;
            held.ended = true;
            if (!held.gone) {
                settler.add(held, ending);
                return true;
            }
        }
        LOG.log(System.Logger.Level.WARNING, "{0} is not this worker''s any more: its ending ({1}) is dropped", held, ending.outcome());
        hand.forget(held);
        if (hand.stopping()) alarm.ring();
        return true;
    }
}
