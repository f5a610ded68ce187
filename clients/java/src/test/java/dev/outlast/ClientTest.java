package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client against a server that plays faults. */
class ClientTest {
    private static final String TASKS = "/v1/tasks";

    record Greet(String name) {}

    private final JumpingClock clock = new JumpingClock();
    private Fake fake;
    private OutlastClient client;

    @BeforeEach void begin() throws IOException {
        fake = new Fake();
        client = fake.client(clock);
    }

    @AfterEach void end() throws IOException {
        fake.close();
    }

    @Test void aLostAnswer() {
        fake.fault(TASKS, Fake.LOST, Fake.IGNORED, Fake.answer(201, "{"));
        TaskRef<Void> task = client.enqueue("greet", new Greet("Ada"));
        List<Fake.Call> sent = fake.called(TASKS);
        assertEquals(4, sent.size());
        assertTrue(sent.stream().allMatch(call -> call.body().get("id").equals(task.id())));
        assertEquals(1, fake.tasks.size());
        assertTrue(task.existing());
        assertEquals(Map.of("name", "Ada"), sent.get(0).body().get("payload"));
        UUID id = UUID.fromString(task.id());
        assertEquals(List.of(7, 2), List.of(id.version(), id.variant()));
    }

    @Test void noServer() {
        fake.always(TASKS, Fake.IGNORED);
        UnavailableException error = assertThrows(UnavailableException.class, () -> client.enqueue("greet", null));
        assertEquals(List.of("unavailable", 0), List.of(error.code(), error.status()));
        assertEquals(4, fake.called(TASKS).size());
    }

    @Test void whatMayHarmIsNotRepeated() {
        String id = client.enqueue("greet", null).id();
        for (String name : List.of("cancel", "retry")) {
            String path = TASKS + "/" + id + "/" + name;
            fake.always(path, Fake.LOST);
            assertThrows(UnavailableException.class, () -> {
                if (name.equals("cancel")) client.cancel(id);
                else client.retry(id);
            });
            assertEquals(1, fake.called(path).size());
        }
    }

    @Test void retryAfter() {
        fake.fault(
            TASKS, Fake.problem(503, "unavailable", "Retry-After", "7"),
            Fake.answer(503, "<html>", "Date", "Fri, 01 Mar 2019 10:00:00 GMT", "Retry-After", "Fri, 01 Mar 2019 10:00:04 GMT"),
            Fake.answer(429, "{\"code\":\"slow_down\",\"retry_after\":\"1.5s\"}"));
        client.enqueue("greet", null);
        assertEquals(List.of(Duration.ofSeconds(7), Duration.ofSeconds(4), Duration.ofMillis(1500)), clock.rests);
    }

    @Test void longerThanThereIsTime() {
        fake.fault(TASKS, Fake.problem(503, "unavailable", "Retry-After", "31"));
        UnavailableException error = assertThrows(UnavailableException.class, () -> client.enqueue("greet", null));
        assertEquals(Duration.ofSeconds(31), error.retryAfter());
        assertEquals(List.of(), clock.rests);
    }

    @Test void aFullQueueIsForTheCaller() {
        fake.fault(TASKS, Fake.problem(429, "queue_full", "Retry-After", "3"));
        QueueFullException error = assertThrows(QueueFullException.class, () -> client.enqueue("greet", null));
        assertEquals(Duration.ofSeconds(3), error.retryAfter());
        assertEquals(1, fake.called(TASKS).size());
    }

    @Test void errors() {
        Map<String, Class<?>> kinds = Map.of(
            "invalid", InvalidException.class, "too_large", InvalidException.class, "not_found", NotFoundException.class,
            "dedupe_conflict", ConflictException.class, "denied", DeniedException.class, "internal", OutlastException.class,
            "of_the_future", OutlastException.class);
        kinds.forEach((code, kind) -> {
            fake.fault(TASKS, Fake.answer(
                418, "{\"code\":\"" + code + "\",\"title\":\"no\",\"detail\":\"queue must be a name\",\"hint\":\"use letters\","
                    + "\"errors\":[{\"path\":\"queue\",\"message\":\"must be a name\"},{\"path\":\"key\",\"message\":\"too long\"}]}",
                "X-Request-Id", "r1"));
            OutlastException error = assertThrows(OutlastException.class, () -> client.enqueue("greet", null));
            assertSame(kind, error.getClass());
            assertEquals(List.of(code, 418, "r1", "use letters"), List.of(error.code(), error.status(), error.requestId(), error.hint()));
            assertEquals(new OutlastException.Field("queue", "must be a name"), error.fields().get(0));
            assertEquals("queue must be a name: key: too long (" + code + "). use letters", error.getMessage());
        });
    }

    @Test void garbage() {
        List<Fake.Fault> answers = List.of(
            Fake.answer(200, "[1]"), Fake.answer(200, "{}"), Fake.answer(200, "{\"id\":5}"), Fake.answer(404, "<html>"), Fake.answer(500, "{}"));
        for (Fake.Fault answer : answers) {
            fake.fault(TASKS + "/x", answer);
            assertThrows(OutlastException.class, () -> client.get("x"));
        }
        fake.fault(TASKS + "/x", Fake.answer(301, "", "Location", "/"));
        assertEquals(301, assertThrows(OutlastException.class, () -> client.get("x")).status());
        assertEquals(List.of(), clock.rests);
    }

    @Test void anInterruptGivesUp() {
        fake.always(TASKS, body -> {
            fake.until(() -> fake.called("/never").size() > 0);
            return null;
        });
        Thread.currentThread().interrupt();
        assertThrows(UnavailableException.class, () -> client.enqueue("greet", null));
        assertTrue(Thread.interrupted());
    }

    @Test void allOfADraft() {
        Instant at = Instant.parse("2030-01-02T03:04:05.5Z");
        String group = TaskId.create();
        Draft draft = Draft.builder("greet").payload(0).id(TaskId.create()).queue("mail").delay(Duration.ofMillis(1500)).runAt(at).priority(0)
            .key("k").shareKey("s").dedupeKey("d").dedupeWindow(Duration.ofHours(1)).policy("p").retry(Map.of("max_attempts", 3)).maxAttempts(2)
            .timeout(Duration.ofMillis(250)).deadline(at).ttl(Duration.ofMinutes(1)).metadata(Map.of("a", "b"))
            .fallback(Follow.type("f").payload(List.of())).onSuccess(Follow.target(Target.group("g", "/p"))).onDead(Follow.type("x").queue("q").policy("r"))
            .alert(Map.of("channels", List.of("ops"))).traceParent("00-1").group(group).build();
        client.enqueue(draft);
        client.enqueue(Draft.builder(Target.url("http://h").method("PUT").headers(Map.of("X", "y")).success("true")).build());
        Map<String, Object> sent = fake.called(TASKS).get(0).body();
        String id = (String) sent.get("id");
        assertEquals(
            "{type=greet, payload=0, id=" + id + ", queue=mail, delay=1.500000000s, run_at=2030-01-02T03:04:05.500Z, priority=0, key=k, "
                + "share_key=s, dedupe_key=d, dedupe_window=3600.000000000s, policy=p, retry={max_attempts=3}, max_attempts=2, timeout=0.250000000s, "
                + "deadline=2030-01-02T03:04:05.500Z, ttl=60.000000000s, metadata={a=b}, fallback={type=f, payload=[]}, "
                + "on_success={target=" + Map.of("group", "g", "path", "/p") + "}, on_dead={type=x, queue=q, policy=r}, alert={channels=[ops]}, "
                + "trace_parent=00-1, group=" + group + ", state=pending}",
            sent.toString().replace("{path=/p, group=g}", Map.of("group", "g", "path", "/p").toString())
                .replace("{group=g, path=/p}", Map.of("group", "g", "path", "/p").toString()));
        assertEquals("{url=http://h, method=PUT, headers={X=y}, success=true}", fake.called(TASKS).get(1).body().get("target").toString());
        assertThrows(CodecException.class, () -> client.enqueue("greet", Double.NaN));
        assertThrows(NullPointerException.class, () -> Draft.builder("greet").key(null));
    }

    @Test void draftsDoNotChange() {
        Draft draft = Draft.of("greet", 1);
        assertNotEquals(client.enqueue(draft).id(), client.enqueue(draft).id());
        Draft other = draft.toBuilder().key("k").build();
        client.enqueue(draft);
        client.enqueue(other);
        assertFalse(fake.called(TASKS).get(2).body().containsKey("key"));
        assertEquals("k", fake.called(TASKS).get(3).body().get("key"));
    }

    @Test void waiting() {
        String id = client.enqueue("greet", null).id();
        String path = TASKS + "/" + id;
        Fake.Fault usual = body -> null;
        fake.fault(path, usual, Fake.answer(200, "{\"id\":\"" + id + "\",\"type\":\"greet\",\"state\":\"dead\",\"dead_reason\":\"rejected\"}"));
        assertEquals("rejected", client.await(id, Duration.ofSeconds(60)).deadReason());
        assertEquals(List.of(), clock.rests); // the server waits
        assertEquals(Task.State.PENDING, client.await(id, Duration.ZERO).state());
    }

    @Test void settings(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "from-file\n");
        OutlastClient.builder().server(fake.url()).tokenFile(file).build().enqueue("greet", null);
        OutlastClient.builder().server(fake.url() + "/base/").token("given").build().transport.call(Transport.Call.get("/v1/tasks/x").within(Duration.ofSeconds(9)).once(), (method, target, body, until) -> {
            assertEquals("/base/v1/tasks/x", target);
            return new Exchange.Reply(200, Map.of(), new byte[0]);
        });
        assertEquals("Bearer from-file", fake.called(TASKS).get(0).headers().get("authorization"));
        client.enqueue("greet", null);
        assertFalse(fake.called(TASKS).get(1).headers().containsKey("authorization"));
        Path empty = Files.createFile(folder.resolve("empty"));
        assertThrows(IllegalArgumentException.class, () -> OutlastClient.builder().tokenFile(empty).build());
        assertThrows(IllegalArgumentException.class, () -> OutlastClient.builder().caFile(empty).build());
        for (String url : List.of("localhost:7070", "ftp://h", "http://", "http://u:p@h", "http://h?x=1", "http://h h")) {
            assertThrows(IllegalArgumentException.class, () -> OutlastClient.builder().server(url).build(), url);
        }
    }

    /** The same as Group.Member of Go. */
    @Test void memberIds() {
        assertEquals("018df700-0000-7adb-abef-4d67835f8a24", TaskId.member("018df700-0000-7000-8000-000000000000", "customer 7 ü"));
    }
}
