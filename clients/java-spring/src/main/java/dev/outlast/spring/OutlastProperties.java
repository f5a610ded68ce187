package dev.outlast.spring;

import dev.outlast.OutlastClient;
import dev.outlast.Worker;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.env.Environment;

/**
 * The properties. Those of the client are {@code outlast.server}, {@code outlast.token}, {@code outlast.token-file} and
 * {@code outlast.ca-file}; what is not there comes from the variables of the environment that the command line knows.
 * {@code outlast.transactional} (true) says that tasks belong to the transaction under way. Those of the worker are {@code
 * outlast.worker.enabled} (true), {@code .queues}, {@code .concurrency}, {@code .lease}, {@code .grace} and {@code .name}.
 */
final class OutlastProperties {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private final Environment environment;

    OutlastProperties(Environment environment) {
        this.environment = environment;
    }

    OutlastClient client() {
        OutlastClient.Builder client = OutlastClient.builder();
        set("outlast.server", client::server);
        set("outlast.token", client::token);
        set("outlast.token-file", file -> client.tokenFile(Paths.get(file)));
        set("outlast.ca-file", file -> client.caFile(Paths.get(file)));
        return client.build();
    }

    boolean transactional() {
        return environment.getProperty("outlast.transactional", Boolean.class, true);
    }

    boolean worker() {
        return environment.getProperty("outlast.worker.enabled", Boolean.class, true);
    }

    void configure(Worker.Builder worker) {
        set("outlast.worker.name", worker::name);
        set("outlast.worker.queues", queues -> worker.queues(queues.trim().split("\\s*,\\s*")));
        set("outlast.worker.concurrency", number -> worker.concurrency(Integer.parseInt(number)));
        set("outlast.worker.lease", span -> worker.lease(duration(span)));
        set("outlast.worker.grace", span -> worker.grace(duration(span)));
    }

    private void set(String name, Consumer<String> setter) {
        String value = environment.getProperty(name, "");
        if (value.isEmpty()) return;
        try {
            setter.accept(value);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(name + ": " + wrong.getMessage(), wrong);
        }
    }

    /** A duration as annotations and properties have it. */
    static Duration duration(String text) {
        Matcher found = DURATION.matcher(text);
        if (!found.matches()) throw new IllegalArgumentException("\"" + text + "\" is no duration: write it as 500ms, 30s, 5m, 2h or 1d");
        long number = Long.parseLong(found.group(1));
        return switch (found.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
