package dev.outlast;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A task to be. It does not change, so one may be handed in again: with an id or a dedupe key it is the same task. */
public final class Draft {
    private static final Codec PLAIN = Codec.json();
    private final Map<String, Object> fields;

    private Draft(Map<String, Object> fields) {
        this.fields = fields;
    }

    /** A task of a type, with a payload that the client's codec can write. */
    public static Draft of(String type, Object payload) {
        return builder(type).payload(payload).build();
    }

    /** Begins a task of a type. */
    public static Builder builder(String type) {
        return new Builder().set("type", type);
    }

    /** Begins a task that makes an HTTP request. */
    public static Builder builder(Target target) {
        return new Builder().set("target", target.body());
    }

    /** Begins another draft with what this one has. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.fields.putAll(fields);
        return builder;
    }

    /** The same with an id, so that a call may be repeated. */
    Draft identified() {
        return fields.containsKey("id") ? this : toBuilder().id(TaskId.create()).build();
    }

    Map<String, Object> body() {
        return fields;
    }

    /** Sets what a task has beyond its type. What is not set has the server's default. */
    public static final class Builder {
        private final Map<String, Object> fields = new LinkedHashMap<>();

        private Builder() {}

        private Builder set(String name, Object value) {
            fields.put(name, Objects.requireNonNull(value, name));
            return this;
        }

        /** What the handler is given. */
        public Builder payload(Object payload) {
            fields.put("payload", new Json.Encoded(payload));
            return this;
        }

        /** UUID of version 7, see {@link TaskId}. The client makes one if there is none. */
        public Builder id(String id) {
            return set("id", id);
        }

        /** The queue; "default" if there is none. */
        public Builder queue(String queue) {
            return set("queue", queue);
        }

        /** The wait before the first attempt. */
        public Builder delay(Duration delay) {
            return set("delay", Wire.duration(delay));
        }

        /** The time of the first attempt. */
        public Builder runAt(Instant at) {
            return set("run_at", at.toString());
        }

        /** 0 (lowest) to 9; 5 if there is none. */
        public Builder priority(int priority) {
            return set("priority", priority);
        }

        /** Ordering key: tasks of one key run one at a time, in the order of their enqueues. */
        public Builder key(String key) {
            return set("key", key);
        }

        /** Whose the task is, such as a customer: one with a backlog delays no other. */
        public Builder shareKey(String key) {
            return set("share_key", key);
        }

        /** Same key and content: the same task. Same key and other content: ConflictException. */
        public Builder dedupeKey(String key) {
            return set("dedupe_key", key);
        }

        /** How long the dedupe key holds. */
        public Builder dedupeWindow(Duration window) {
            return set("dedupe_window", Wire.duration(window));
        }

        /** The name of a retry policy. */
        public Builder policy(String policy) {
            return set("policy", policy);
        }

        /** A retry policy of this task alone, in the form of the API, which replaces the named one. */
        public Builder retry(Map<String, ?> policy) {
            return plain("retry", policy);
        }

        /** How many attempts at most, the first one included. */
        public Builder maxAttempts(int attempts) {
            return set("max_attempts", attempts);
        }

        /** The limit of each attempt. */
        public Builder timeout(Duration timeout) {
            return set("timeout", Wire.duration(timeout));
        }

        /** The limit of all attempts together. */
        public Builder deadline(Instant deadline) {
            return set("deadline", deadline.toString());
        }

        /** The same, counted from now. */
        public Builder ttl(Duration ttl) {
            return set("ttl", Wire.duration(ttl));
        }

        /** Free labels. */
        public Builder metadata(Map<String, String> metadata) {
            return set("metadata", Map.copyOf(metadata));
        }

        /** Enqueued when the task dies. */
        public Builder fallback(Follow fallback) {
            return set("fallback", fallback.body());
        }

        /** Enqueued when the task succeeds. */
        public Builder onSuccess(Follow follow) {
            return set("on_success", follow.body());
        }

        /** Enqueued when the task dies, beside the fallback. */
        public Builder onDead(Follow follow) {
            return set("on_dead", follow.body());
        }

        /** When to tell people about this task, in the form of the API: when, channels, cooldown. */
        public Builder alert(Map<String, ?> alert) {
            return plain("alert", alert);
        }

        /** W3C trace context. */
        public Builder traceParent(String parent) {
            return set("trace_parent", parent);
        }

        /** The id of the group of tasks that this one is a member of. */
        public Builder group(String id) {
            return set("group", id);
        }

        /** What is a part of the API and not of the program is not written by the codec of the client. */
        private Builder plain(String name, Map<String, ?> value) {
            return set(name, Json.read(PLAIN.encode(value)));
        }

        /** The draft. */
        public Draft build() {
            return new Draft(new LinkedHashMap<>(fields));
        }
    }
}
