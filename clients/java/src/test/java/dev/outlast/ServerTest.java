package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Client and worker against a real server. */
class ServerTest {
    private static Server server;
    private static OutlastClient client;
    private String queue;

    @BeforeAll static void start() throws IOException {
        server = new Server();
        client = server.client();
    }

    @AfterAll static void stop() {
        server.close();
    }

    @BeforeEach void makeQueue(TestInfo test) {
        queue = server.queue(test.getTestMethod().get().getName());
    }

    private Worker.Builder worker() {
        return Worker.builder(client).queues(queue).lease(Duration.ofSeconds(60));
    }

    private Draft draft(String type, Object payload) {
        return Server.draft(queue, type, payload);
    }

    private String enqueue(String type, Object payload) {
        return client.enqueue(draft(type, payload)).id();
    }

    @Test void fromEnqueueToResult() {
        Worker.Builder builder = worker().handler("greet", String.class, (context, name) -> Map.of("text", "Hello " + name))
            .handler("flaky", Payload.class, (context, in) -> {
                if (context.attempt() < 3) throw new ConnectException("the shop hung up");
                return List.of(context.attempt(), context.timeLeft().isPresent());
            }).handler("check", Payload.class, (context, in) -> {
                throw new GiveUp("no", new IllegalArgumentException("an order has no number"));
            });
        try (Worker worker = builder.build().start()) {
            assertTrue(worker.isRunning());
            Task greeted = client.run(draft("greet", "Ada"), Duration.ofSeconds(60));
            assertEquals("SUCCEEDED {\"text\":\"Hello Ada\"}", greeted.state() + " " + greeted.result());
            Draft limited = draft("flaky", null).toBuilder().timeout(Duration.ofMinutes(10)).build();
            Task flaked = server.ends(client.enqueue(limited).id());
            assertEquals("[3,true]", flaked.result().json());
            List<Attempt> attempts = client.attempts(flaked.id());
            assertEquals(List.of("failed", "failed", "succeeded"), attempts.stream().map(Attempt::outcome).toList());
            assertEquals("unsent java.net.ConnectException", attempts.get(0).category() + " " + attempts.get(0).type());
            Task dead = server.ends(enqueue("check", null), Task.State.DEAD);
            assertEquals("rejected java.lang.IllegalArgumentException", dead.deadReason() + " " + dead.lastError().type());
        }
    }

    @Test void allFields() {
        Instant at = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);
        Draft given = draft("later", Map.of("n", 1)).toBuilder().runAt(at).priority(9).key("k").shareKey("s").dedupeKey("d")
            .dedupeWindow(Duration.ofMinutes(1)).maxAttempts(2).timeout(Duration.ofSeconds(5)).deadline(at.plusSeconds(3600))
            .metadata(Map.of("a", "b")).fallback(Follow.type("f")).onSuccess(Follow.type("g")).onDead(Follow.type("h")).build();
        TaskRef<Void> first = client.enqueue(given), again = client.enqueue(given);
        assertEquals(List.of(false, true, first.id()), List.of(first.existing(), again.existing(), again.id()));
        Task got = client.get(first.id());
        assertEquals(List.of("later", queue, 9, "k", "s", "d", 2), List.of(got.type(), got.queue(), got.priority(), got.key(), got.shareKey(), got.dedupeKey(), got.maxAttempts()));
        assertEquals(List.of(at, at.plusSeconds(3600), Duration.ofSeconds(5), Map.of("a", "b")), List.of(got.runAt(), got.deadline(), got.timeout(), got.metadata()));
        ConflictException other = assertThrows(ConflictException.class, () -> client.enqueue(draft("later", 2).toBuilder().dedupeKey("d").build()));
        assertEquals(List.of("dedupe_conflict", first.id()), List.of(other.code(), other.existing()));
        InvalidException wrong = assertThrows(InvalidException.class, () -> client.enqueue(draft("later", 2).toBuilder().priority(11).build()));
        assertEquals("priority", wrong.fields().get(0).path());
        assertTrue(client.reschedule(first.id(), Duration.ofDays(1)).runAt().isAfter(at));
        assertEquals(at, client.reschedule(first.id(), at).runAt());
        assertEquals(Task.State.CANCELED, client.cancel(first.id()).state());
        assertEquals("canceled", assertThrows(ConflictException.class, () -> client.retry(first.id())).state());
        assertThrows(NotFoundException.class, () -> client.get(TaskId.create()));
    }

    @Test void batch() {
        Draft wrong = draft("later", null).toBuilder().priority(11).build();
        List<BatchResult> results = client.enqueueBatch(List.of(draft("later", 1), draft("later", 2), wrong));
        assertEquals(List.of(201, 201, 400), results.stream().map(BatchResult::status).toList());
        assertTrue(results.get(0).accepted() && results.get(2).error() instanceof InvalidException);
        assertThrows(InvalidException.class, () -> client.enqueueAtomically(List.of(draft("later", 1), wrong)));
    }

    @Test void stepsSleepAndSignal() throws Exception {
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        Worker.Builder builder = worker().handler("order", Payload.class, (context, in) -> {
            context.step("charge", Boolean.class, () -> done.add("charge"), made -> new Compensation("refund", 1));
            context.sleep("a while", Duration.ofMillis(1200));
            Map<?, ?> approval = context.awaitSignal("approval", Map.class, Duration.ofMinutes(10), Duration.ofSeconds(1));
            for (int i = 0; i < 2; i++) context.step("mail", () -> done.add("mail"));
            if (context.attempt() == 1) throw new SocketTimeoutException("once");
            throw new GiveUp((String) approval.get("why"));
        }).handler("refund", Integer.class, (context, in) -> done.add("refund " + in));
        try (Worker worker = builder.build().start()) {
            assertTrue(worker.isRunning());
            String id = enqueue("order", null);
            assertFalse(client.signal(id, "approval", Map.of("why", "undo it")).repeated());
            assertTrue(client.signal(id, "approval", Map.of("why", "undo it")).repeated());
            assertEquals(2, server.ends(id, Task.State.DEAD).attempt());
            Server.until(() -> done.contains("refund 1"));
            assertEquals(List.of("charge", "mail", "mail", "refund 1"), done);
        }
    }

    @Test void cancel() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        Worker.Builder builder = worker().lease(Duration.ofSeconds(3)).handler("long", Payload.class, (context, in) -> {
            began.countDown();
            context.pause(Duration.ofMinutes(10));
            return null;
        });
        try (Worker worker = builder.build().start()) {
            assertTrue(worker.isRunning());
            String id = enqueue("long", null);
            began.await();
            client.cancel(id);
            server.ends(id, Task.State.CANCELED);
        }
    }

    @Test void whatTheServerRefuses() {
        Worker.Builder builder = worker().handler("deep", Payload.class, (context, in) -> {
            Object value = List.of();
            for (int i = 0; i < 100; i++) value = List.of(value);
            return value;
        }).handler("fine", Payload.class, (context, in) -> "fine");
        try (Worker worker = builder.build().start()) {
            assertTrue(worker.isRunning());
            List<BatchResult> given = client.enqueueBatch(IntStream.range(0, 10).mapToObj(i -> draft(i % 2 == 0 ? "deep" : "fine", null)).toList());
            for (int i = 0; i < 10; i += 2) {
                Failure failure = server.ends(given.get(i).id(), Task.State.DEAD).lastError();
                assertEquals("bad_result permanent", failure.code() + " " + failure.category());
                assertTrue(failure.message().contains("nested"), failure.message());
                assertEquals(0, server.ends(given.get(i + 1).id()).crashes());
            }
        }
    }

    @Test void group() throws Exception {
        Worker.Builder builder = worker().handler("member", Payload.class, (context, in) -> null).handler("report", Payload.class, (context, in) -> in);
        try (Worker worker = builder.build().start()) {
            assertTrue(worker.isRunning());
            String group = TaskId.create();
            for (int i = 0; i < 2; i++) { // as after a crash
                client.createGroup(group, Follow.type("report").queue(queue), "March");
                List<Draft> drafts = List.of("a", "b", "c").stream()
                    .map(name -> draft("member", null).toBuilder().id(TaskId.member(group, name)).group(group).build()).toList();
                assertTrue(client.enqueueBatch(drafts).stream().allMatch(BatchResult::accepted));
            }
            client.closeGroup(group);
            Server.until(() -> !client.getGroup(group).callbackTask().isEmpty());
            assertEquals(3, client.getGroup(group).members());
            server.ends(client.getGroup(group).callbackTask());
        }
    }

    /** The task of a worker that is killed runs again, at no attempt; its step is not done again. */
    @Test void killed(@TempDir Path folder) throws Exception {
        Process first = server.java("dev.outlast.Program", "killed", "PT2S");
        String id = client.enqueue(Server.draft("default", "until", folder.resolve("go").toString())).id();
        Server.until(() -> !client.get(id).steps().isEmpty());
        first.destroyForcibly();
        server.java("dev.outlast.Program", "second", "PT60S");
        Files.createFile(folder.resolve("go"));
        Task done = server.ends(id);
        assertEquals("1 \"begun by " + first.pid() + "\"", done.attempt() + " " + done.result());
        assertTrue(done.crashes() >= 1);
    }

    /** It ends what it has in hand, and polls no more. */
    @Test void terminated(@TempDir Path folder) throws Exception {
        Process process = server.java("dev.outlast.Program", "terminated", "PT60S");
        String id = client.enqueue(Server.draft("default", "until", folder.resolve("go").toString())).id();
        Server.until(() -> !client.get(id).steps().isEmpty());
        process.destroy();
        Files.createFile(folder.resolve("go"));
        assertEquals(143, process.waitFor());
        assertEquals(Task.State.SUCCEEDED, client.get(id).state());
    }

    /** Workers are stopped while tasks come. A task that is lost on the way would wait for its lease, and crash. */
    @Test void stopsLoseNothing() throws Exception {
        stopWhileTasksCome(client, queue);
    }

    @Test void stopsLoseNothingOverTls(@TempDir Path folder) throws Exception {
        String certificate = folder.resolve("cert.pem").toString(), key = folder.resolve("key.pem").toString();
        Process openssl = new ProcessBuilder(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=outlast", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", key, "-out", certificate).redirectErrorStream(true).start();
        openssl.getInputStream().readAllBytes();
        assertEquals(0, openssl.waitFor());
        try (Server secure = new Server("--tls-cert", certificate, "--tls-key", key)) {
            OutlastClient trusting = OutlastClient.builder().server(secure.url).token("").caFile(Path.of(certificate)).build();
            stopWhileTasksCome(trusting, "default");
            UnavailableException refused = assertThrows(UnavailableException.class, () -> secure.client().enqueue("greet", null));
            assertTrue(refused.hint().contains("OUTLAST_CA_FILE"), refused.getMessage());
        }
    }

    private static void stopWhileTasksCome(OutlastClient client, String queue) throws Exception {
        List<String> ids = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 20; i++) {
            Worker worker = Worker.builder(client).queues(queue).lease(Duration.ofSeconds(60)).handler("fine", Payload.class, (context, in) -> "fine").build().start();
            Server.until(worker.poller::waits);
            Thread coming = new Thread(() -> ids.add(client.enqueue(Server.draft(queue, "fine", null)).id()));
            coming.start();
            worker.close();
            coming.join();
        }
        try (Worker worker = Worker.builder(client).queues(queue).handler("fine", Payload.class, (context, in) -> "fine").build().start()) {
            assertTrue(worker.isRunning());
            for (String id : ids) {
                Task done = client.await(id, Server.PATIENCE);
                assertEquals("SUCCEEDED 0 1", done.state() + " " + done.crashes() + " " + done.attempt());
            }
        }
    }
}
