package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All that the README says runs, in a folder with nothing else, with the built jar alone on the class path. */
class ReadmeTest {
    static final String JAR = System.getenv("OUTLAST_JAR");
    private static final String SECRET = "whsec_" + Base64.getEncoder().encodeToString("a secret of twenty-six bytes".getBytes(StandardCharsets.UTF_8));
    private static Server server;
    @TempDir private static Path folder;

    static Map<String, String> programs() {
        try {
            String text = Files.readString(Path.of("README.md"));
            return new TreeMap<>(Pattern.compile("```java\\R(// (\\w+\\.java)\\R.*?)```", Pattern.DOTALL).matcher(text).results()
                .collect(Collectors.toMap((MatchResult one) -> one.group(2), one -> one.group(1))));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static String output(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @BeforeAll static void begin() throws IOException {
        server = new Server(Map.of("WEBHOOK_SECRET", SECRET), "--allow-target", "127.0.0.0/8", "--target-secret-env", "127.0.0.1=WEBHOOK_SECRET");
        for (Map.Entry<String, String> one : programs().entrySet()) Files.writeString(folder.resolve(one.getKey()), one.getValue());
    }

    @AfterAll static void end() {
        server.close();
    }

    private static Process start(String program) {
        return server.java(JAR, Map.of("WEBHOOK_SECRET", SECRET), folder.resolve(program).toString());
    }

    private static String run(String program) throws Exception {
        Process process = start(program);
        String text = output(process);
        assertEquals(0, process.waitFor(), text);
        return text;
    }

    @Test void allAreRun() throws IOException {
        assertEquals("[Enqueue.java, Invoices.java, OrderTest.java, Outbox.java, Receiver.java, Work.java]", programs().keySet().toString());
        assertEquals(programs().size(), Files.readString(Path.of("README.md")).split("```java").length - 1);
    }

    @Test void enqueueAndWork() throws Exception {
        Process worker = start("Work.java");
        String[] lines = run("Enqueue.java").split("\\R");
        assertTrue(lines[0].endsWith(" false"), lines[0]);
        assertEquals("false true", lines[1]);
        assertEquals("accepted", lines[2]);
        assertTrue(lines[3].contains("priority"), lines[3]);
        assertEquals("SUCCEEDED Hello Zoe", lines[4]);
        OutlastClient client = server.client();
        Task order = client.run(Draft.of("order", Map.of("number", 7)), Duration.ofSeconds(60));
        assertEquals(order.id() + "/charge", order.result().as(String.class));
        worker.destroy();
        assertEquals(143, worker.waitFor());
    }

    @Test void invoices() throws Exception {
        assertTrue(run("Invoices.java").contains("sent 17 at attempt 1"));
    }

    @Test void receiver() throws Exception {
        Process receiver = start("Receiver.java");
        String first = receiver.inputReader().readLine();
        Target target = Target.url("http://127.0.0.1:" + first.replace("listens on ", "") + "/");
        String id = server.client().enqueue(Draft.builder(target).payload(Map.of("n", 1)).build()).id();
        server.ends(id);
        assertEquals(id + " 1 {\"n\":1}", receiver.inputReader().readLine());
    }
}
