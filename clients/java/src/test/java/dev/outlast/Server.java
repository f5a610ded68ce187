package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A real server for tests, of the binary that OUTLAST_TEST_BINARY names. */
public final class Server implements AutoCloseable {
    public static final Duration PATIENCE = Duration.ofSeconds(40); // only a fault takes so long
    private static final Map<String, Object> SOON = Map.of(
        "max_attempts", 4, "backoff", Map.of("kind", "fixed", "initial", "100ms"), "breaker", "none", "budget", "none");

    private final List<Process> processes = new ArrayList<>();
    public final String url;

    /** Starts one with a store in memory. */
    public Server(String... flags) throws IOException {
        this(Map.of(), flags);
    }

    public Server(Map<String, String> environment, String... flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(System.getenv("OUTLAST_TEST_BINARY"), "serve", "--listen", "127.0.0.1:0", "--log-format", "json"));
        command.addAll(Arrays.asList(flags));
        if (!command.contains("--store")) command.addAll(List.of("--store", "memory:"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process = builder.start();
        processes.add(process);
        url = url(process.errorReader());
        Thread reader = new Thread(() -> process.errorReader().lines().forEach(line -> {})); // else it would block
        reader.setDaemon(true);
        reader.start();
    }

    private static String url(BufferedReader log) throws IOException {
        StringBuilder said = new StringBuilder();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            said.append(line).append('\n');
            if (line.startsWith("{") && Json.read(line) instanceof Map<?, ?> entry && entry.get("url") instanceof String url) return url;
        }
        throw new IllegalStateException(said.toString());
    }

    public OutlastClient client() {
        return OutlastClient.builder().server(url).token("").build();
    }

    /** A queue of the name of the test. */
    String queue(String name) {
        client().transport.call(new Transport.Call("PUT", "/v1/queues/" + name, "{}", null, true));
        return name;
    }

    static Draft draft(String queue, String type, Object payload) {
        return Draft.builder(type).payload(payload).queue(queue).retry(SOON).build();
    }

    /** Starts a program of Java, which is killed at the end. */
    public Process java(String... arguments) {
        return java(System.getProperty("java.class.path"), Map.of(), arguments);
    }

    public Process java(String classPath, Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-cp", classPath));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("OUTLAST_SERVER", url);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            processes.add(process);
            return process;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static <T> T until(Supplier<T> what) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (T found = what.get(); ; found = what.get()) {
            if (found != null && !Boolean.FALSE.equals(found)) return found;
            assertTrue(System.nanoTime() < end, "it did not come so");
            Thread.sleep(20);
        }
    }

    public Task ends(String id, Task.State state) {
        Task task = client().await(id, PATIENCE);
        assertEquals(state, task.state(), task.toString());
        return task;
    }

    public Task ends(String id) {
        return ends(id, Task.State.SUCCEEDED);
    }

    @Override public void close() {
        for (Process process : processes) process.destroyForcibly();
    }
}
