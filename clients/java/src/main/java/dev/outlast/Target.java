package dev.outlast;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The HTTP request that a task makes: of a URL, or of a member of a worker group. */
public final class Target {
    private final Map<String, Object> fields;

    private Target(Map<String, Object> fields) {
        this.fields = fields;
    }

    /** A request of a URL. */
    public static Target url(String url) {
        return new Target(Map.of("url", url));
    }

    /** A request of a member of a worker group. */
    public static Target group(String group, String path) {
        return new Target(Map.of("group", group, "path", path));
    }

    /** The method, in place of POST. */
    public Target method(String method) {
        return with("method", method);
    }

    /** Headers of the request. */
    public Target headers(Map<String, String> headers) {
        return with("headers", Map.copyOf(headers));
    }

    /** A condition in CEL that alone decides whether an answer is a success. */
    public Target success(String condition) {
        return with("success", condition);
    }

    private Target with(String name, Object value) {
        Map<String, Object> made = new LinkedHashMap<>(fields);
        made.put(name, Objects.requireNonNull(value, name));
        return new Target(made);
    }

    Map<String, Object> body() {
        return fields;
    }
}
