package dev.outlast;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A task that is enqueued when another ends. */
public final class Follow {
    private final Map<String, Object> fields;

    private Follow(Map<String, Object> fields) {
        this.fields = fields;
    }

    /** One of a type, which a handler runs. */
    public static Follow type(String type) {
        return new Follow(Map.of("type", type));
    }

    /** One that makes an HTTP request. */
    public static Follow target(Target target) {
        return new Follow(Map.of("target", target.body()));
    }

    /** The queue, in place of that of the task that it follows. */
    public Follow queue(String queue) {
        return with("queue", queue);
    }

    /** The name of its retry policy. */
    public Follow policy(String policy) {
        return with("policy", policy);
    }

    /** A payload, in place of that of the task that it follows, or of what became of that. */
    public Follow payload(Object payload) {
        return with("payload", new Json.Encoded(payload));
    }

    private Follow with(String name, Object value) {
        Map<String, Object> made = new LinkedHashMap<>(fields);
        made.put(name, Objects.requireNonNull(value, name));
        return new Follow(made);
    }

    Map<String, Object> body() {
        return fields;
    }
}
