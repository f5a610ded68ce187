package dev.outlast;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * Hands tasks in, looks at them, and steers them. One client calls one server, and is safe for many threads. Errors of the
 * server are {@link OutlastException}s.
 */
public final class OutlastClient {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30); // for the end of a task, in one call

    final Transport transport;
    final Codec codec;

    OutlastClient(Transport transport, Codec codec) {
        this.transport = transport;
        this.codec = codec;
    }

    /** Begins a client. What is not given comes from the environment, see {@link #fromEnvironment}. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A client of the server that {@code OUTLAST_SERVER} names (http://127.0.0.1:7070 if it is not set), with the token of
     * {@code OUTLAST_TOKEN_FILE} or {@code OUTLAST_TOKEN} and the authorities of {@code OUTLAST_CA_FILE}.
     */
    public static OutlastClient fromEnvironment() {
        return builder().build();
    }

    /** Says where the server is, and how it is called. */
    public static final class Builder {
        private final Map<String, String> environment = System.getenv();
        private String server = environment.getOrDefault("OUTLAST_SERVER", "http://127.0.0.1:7070");
        private String token;
        private Path tokenFile, caFile;
        private Duration timeout = Duration.ofSeconds(30);
        private int tries = 4;
        private Codec codec = Codec.json();
        private Clock clock = Clock.SYSTEM;

        private Builder() {}

        /** The URL of the server. */
        public Builder server(String url) {
            server = Objects.requireNonNull(url, "server");
            return this;
        }

        /** The token; an empty one for none. */
        public Builder token(String token) {
            this.token = Objects.requireNonNull(token, "token");
            return this;
        }

        /** The file that holds the token. */
        public Builder tokenFile(Path file) {
            tokenFile = Objects.requireNonNull(file, "tokenFile");
            return this;
        }

        /** The authorities of an https server in PEM, in place of those of the JDK. */
        public Builder caFile(Path file) {
            caFile = Objects.requireNonNull(file, "caFile");
            return this;
        }

        /** The limit of a call with its repeats. */
        public Builder timeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) throw new IllegalArgumentException("timeout is longer than 0");
            this.timeout = timeout;
            return this;
        }

        /** How often a call is tried at most. What may do harm twice is not repeated. */
        public Builder tries(int tries) {
            if (tries < 1) throw new IllegalArgumentException("tries is 1 or more");
            this.tries = tries;
            return this;
        }

        /** What writes and reads payloads and results, in place of {@link Codec#json}. */
        public Builder codec(Codec codec) {
            this.codec = Objects.requireNonNull(codec, "codec");
            return this;
        }

        Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /** The client. A setting that cannot be used is an IllegalArgumentException. */
        public OutlastClient build() {
            Path authorities = caFile == null ? path("OUTLAST_CA_FILE") : caFile;
            try {
                SSLContext tls = authorities == null ? SSLContext.getDefault() : Settings.trusting(authorities);
                return new OutlastClient(new Transport(Settings.server(server), secret(), tls, timeout, tries, clock), codec);
            } catch (java.security.NoSuchAlgorithmException missing) {
                throw new IllegalStateException(missing);
            }
        }

        private String secret() {
            if (token != null) return token.strip();
            Path file = tokenFile == null ? path("OUTLAST_TOKEN_FILE") : tokenFile;
            return file == null ? environment.getOrDefault("OUTLAST_TOKEN", "").strip() : Settings.token(file);
        }

        private Path path(String name) {
            String value = environment.getOrDefault(name, "");
            return value.isEmpty() ? null : Path.of(value);
        }
    }

    /** Hands a task in. When it returns, the task is on disk. */
    public TaskRef<Void> enqueue(Draft draft) {
        Transport.Answer answer = transport.call(Transport.Call.post("/v1/tasks", written(draft.identified())));
        return TaskRef.of(fields(answer).required("id"), answer.status() == 200);
    }

    /** Hands a task of a type in. */
    public TaskRef<Void> enqueue(String type, Object payload) {
        return enqueue(Draft.of(type, payload));
    }

    /**
     * Hands a task in within the transaction of a connection to the database in which Outlast keeps its tasks: PostgreSQL,
     * MySQL or MariaDB. It is there when the transaction commits, and starts a moment later. A retry policy of its own, an
     * alert, a group and tasks that follow cannot be enqueued in this way.
     */
    public TaskRef<Void> enqueueIn(Connection connection, Draft draft) throws SQLException {
        return SqlEnqueue.enqueue(connection, draft, codec); // without an id, which some isolation levels do not take
    }

    /** Hands in up to 1000 tasks, each on its own. One result for each, in the same order. */
    public List<BatchResult> enqueueBatch(List<Draft> drafts) {
        return enqueueBatch(drafts, false);
    }

    /** Hands in up to 1000 tasks, all or none. */
    public List<BatchResult> enqueueAtomically(List<Draft> drafts) {
        return enqueueBatch(drafts, true);
    }

    private List<BatchResult> enqueueBatch(List<Draft> drafts, boolean atomic) {
        List<Map<String, Object>> tasks = drafts.stream().map(draft -> draft.identified().body()).toList();
        Fields answer = post("/v1/tasks/batch", Map.of("tasks", tasks, "atomic", atomic));
        return expected(() -> answer.list("results", BatchResult::of));
    }

    /** Hands a task in and waits for its end. When the time is over, it returns the task as it then stands. */
    public Task run(Draft draft, Duration timeout) {
        String body = written(draft.identified()); // a repeat with the same id is the same task
        return ended(wait -> Transport.Call.post("/v1/tasks?wait=" + wait, body), timeout);
    }

    /** A task, whatever its state. */
    public Task get(String id) {
        return task(fields(transport.call(Transport.Call.get(path(id)))));
    }

    /** What is recorded of the attempts of a task, oldest first. */
    public List<Attempt> attempts(String id) {
        Fields answer = fields(transport.call(Transport.Call.get(path(id) + "/attempts")));
        return expected(() -> answer.list("attempts", Attempt::of));
    }

    /** Waits for the end of a task. When the time is over, it returns the task as it then stands. */
    public Task await(String id, Duration timeout) {
        return ended(wait -> Transport.Call.get(path(id) + "?wait=" + wait), timeout);
    }

    /** The task that a call answers with, once it has ended or the time is over. */
    private Task ended(Function<String, Transport.Call> asking, Duration timeout) {
        long until = transport.clock.now() + Clock.nanos(timeout);
        while (true) {
            Duration left = Duration.ofNanos(Math.max(1_000_000, until - transport.clock.now()));
            Duration wait = left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT;
            Task task = task(fields(transport.call(asking.apply(Wire.duration(wait)).within(wait.plus(transport.timeout)))));
            if (task.ended() || transport.clock.now() - until >= 0) return task;
        }
    }

    /** Cancels a pending task, or asks a running one to stop. */
    public Task cancel(String id) {
        return task(fields(transport.call(Transport.Call.post(path(id) + "/cancel", null).once())));
    }

    /** Cancels a task and undoes its steps. */
    public Task cancelAndCompensate(String id) {
        return task(post(path(id) + "/cancel", Map.of("compensate", true)));
    }

    /** Runs the next attempt of a pending task now. */
    public Task retry(String id) {
        return task(fields(transport.call(Transport.Call.post(path(id) + "/retry", null).once())));
    }

    /** Moves the next attempt of a pending task to a time. */
    public Task reschedule(String id, Instant runAt) {
        return reschedule(id, Map.of("run_at", runAt.toString()));
    }

    /** Moves the next attempt of a pending task so far from now. */
    public Task reschedule(String id, Duration delay) {
        return reschedule(id, Map.of("delay", Wire.duration(delay)));
    }

    private Task reschedule(String id, Map<String, Object> when) {
        return task(fields(transport.call(Transport.Call.post(path(id) + "/reschedule", Json.write(when, codec)).once())));
    }

    /** Gives a task the signal of a name. The first one stands; another payload is a ConflictException. */
    public Signaled signal(String id, String name, Object payload) {
        String body = Json.write(new Json.Encoded(payload), codec);
        Fields answer = fields(transport.call(Transport.Call.post(path(id) + "/signals/" + Transport.part(name), body)));
        return expected(() -> Signaled.of(answer));
    }

    /**
     * Makes a group of tasks, whose callback is enqueued when it is closed and all members have ended. Keep the id, and
     * take {@link TaskId#member} for those of members, and all may be done again after a crash.
     */
    public TaskGroup createGroup(String id, Follow callback, String label) {
        Map<String, Object> draft = new LinkedHashMap<>(Map.of("id", id, "callback", callback.body()));
        if (!label.isEmpty()) draft.put("label", label);
        return group(post("/v1/task-groups", draft));
    }

    /** A group of tasks with the count of its members. */
    public TaskGroup getGroup(String id) {
        return group(fields(transport.call(Transport.Call.get("/v1/task-groups/" + Transport.part(id)))));
    }

    /** Says that no more members come. */
    public TaskGroup closeGroup(String id) {
        return group(fields(transport.call(Transport.Call.post("/v1/task-groups/" + Transport.part(id) + "/close", null))));
    }

    /**
     * An implementation of a {@linkplain DurableTask durable interface}, whose methods hand tasks in and return at once. A
     * method returns void or a {@link TaskRef}.
     */
    public <T> T proxy(Class<T> type) {
        return DurableMethods.of(type).proxy(type, this::enqueue);
    }

    /** The same, within the transaction of a connection, see {@link #enqueueIn}. */
    public <T> T proxyIn(Connection connection, Class<T> type) {
        return proxyBy(type, draft -> {
            try {
                return enqueueIn(connection, draft);
            } catch (SQLException failure) {
                throw new SqlEnqueueException(failure);
            }
        });
    }

    /** The same, with a function that hands the drafts in. */
    public <T> T proxyBy(Class<T> type, Function<Draft, TaskRef<?>> enqueue) {
        return DurableMethods.of(type).proxy(type, enqueue);
    }

    private String written(Draft draft) {
        return Json.write(draft.body(), codec);
    }

    private static String path(String id) {
        return "/v1/tasks/" + Transport.part(id);
    }

    private Fields post(String path, Map<String, ?> body) {
        return fields(transport.call(Transport.Call.post(path, Json.write(body, codec))));
    }

    private Fields fields(Transport.Answer answer) {
        return expected(() -> Fields.of(answer.data(), codec));
    }

    private static Task task(Fields of) {
        return expected(() -> Task.of(of));
    }

    private static TaskGroup group(Fields of) {
        return expected(() -> TaskGroup.of(of));
    }

    /** What does not look as promised is as good as no answer. */
    private static <T> T expected(java.util.function.Supplier<T> read) {
        try {
            return read.get();
        } catch (CodecException | java.time.DateTimeException | ArithmeticException | IllegalArgumentException broken) {
            throw UnavailableException.of("the answer is not what was expected: " + broken.getMessage(), broken);
        }
    }
}
