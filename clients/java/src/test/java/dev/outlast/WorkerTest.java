package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The worker against a server that plays faults. */
class WorkerTest {
    private static final String POLL = "/v1/workers/poll", EXTEND = "/v1/workers/extend", SETTLE = "/v1/workers/settle", STEPS = "/v1/workers/steps";
    /** What proxies answer while the server is not there. */
    private static final Fake.Fault[] FOREIGN = {
        Fake.answer(404, "404 page not found"), Fake.answer(400, "{\"code\":400,\"status\":\"Failure\"}"), Fake.answer(405, "<html>")};
    private static final Logger LOGGER = Logger.getLogger("dev.outlast");

    private final JumpingClock clock = new JumpingClock();
    private final CountDownLatch go = new CountDownLatch(1);
    private final List<Running> running = new ArrayList<>();
    private Fake fake;

    /** A worker that runs in a thread until the test ends it. */
    private static final class Running {
        final Worker worker;
        private final Thread thread;
        private volatile Throwable failure;

        Running(Worker worker) {
            this.worker = worker;
            thread = new Thread(() -> {
                try {
                    worker.run();
                } catch (Throwable broken) {
                    failure = broken;
                }
            });
            thread.setDaemon(true);
        }

        Throwable ends() throws InterruptedException {
            thread.join(Fake.PATIENCE.toMillis());
            assertFalse(thread.isAlive(), "the worker did not end");
            return failure;
        }

        Throwable stop() throws InterruptedException {
            worker.stop();
            return ends();
        }
    }

    @BeforeAll static void silence() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterAll static void speak() {
        LOGGER.setLevel(null);
    }

    @BeforeEach void begin() throws IOException {
        fake = new Fake();
    }

    @AfterEach void end() throws Exception {
        go.countDown();
        for (Running one : running) one.stop();
        fake.close();
    }

    private Worker.Builder builder() {
        return Worker.builder(fake.client(clock)).handler("fine", Payload.class, (context, in) -> "fine").handler("wait", Payload.class, (context, in) -> {
            while (go.getCount() > 0) await(go);
            return null;
        });
    }

    /** Deaf to interrupts. */
    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(Fake.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException stop) {
            // the handler does not care
        }
    }

    private Running start(Worker.Builder builder) {
        Running made = new Running(builder.build());
        clock.drives(made.worker);
        running.add(made);
        made.thread.start();
        return made;
    }

    private Running start(String type, Handler<Payload> handler) {
        return start(builder().handler(type, Payload.class, handler));
    }

    /** What the next poll brings is to be extended soon: a third of the lease has passed. */
    private void soon() {
        fake.fault(POLL, body -> {
            clock.goOn(11);
            return null;
        });
    }

    private static Object outcome(Map<String, Object> ending) {
        return ending.get("outcome");
    }

    // Endings.

    @Test void result() {
        record Greet(String name) {}
        String id = fake.give("greet", Map.of("name", "Ada"));
        start(builder().handler("greet", Greet.class, (context, in) -> Map.of("text", "Hello " + in.name())).release("5.1"));
        assertEquals("{id=" + id + ", claim=7, outcome=succeeded, result={text=Hello Ada}}", fake.ending(id).toString());
        Map<String, Object> poll = fake.called(POLL).get(0).body();
        assertEquals("[fine, greet, wait] 5.1 10", poll.get("types") + " " + poll.get("release") + " " + poll.get("max"));
        assertEquals("10.000000000s", poll.get("wait"));
    }

    @Test void verdicts() {
        Map<String, Throwable> verdicts = new LinkedHashMap<>();
        verdicts.put("later", new RetryAfter(Duration.ofSeconds(90), "not yet"));
        verdicts.put("snooze", new Snooze(Duration.ofMinutes(1)));
        verdicts.put("dead", new GiveUp("no such order", new IllegalArgumentException("number")));
        verdicts.put("drop", new Cancel("nobody wants it"));
        verdicts.put("fail", new CompletionException(new ConnectException("the shop hung up")));
        verdicts.put("own", new TaskException("limit", "throttled", "429"));
        verdicts.put("sql", new SQLException("deadlock", "40001"));
        verdicts.put("error", new StackOverflowError());
        Map<String, String> ids = new LinkedHashMap<>();
        verdicts.keySet().forEach(kind -> ids.put(kind, fake.give("steer", kind)));
        start(builder().handler("steer", String.class, (context, kind) -> {
            try {
                return sneak(verdicts.get(kind));
            } catch (NumberFormatException other) {
                return null;
            }
        }));
        Map<String, Object> outcomes = new LinkedHashMap<>();
        ids.forEach((kind, id) -> outcomes.put(kind, outcome(fake.ending(id))));
        assertEquals("{later=failed, snooze=snoozed, dead=dead, drop=canceled, fail=failed, own=failed, sql=failed, error=failed}", outcomes.toString());
        assertEquals("90.000000000s", fake.ending(ids.get("later")).get("retry_after"));
        assertEquals("60.000000000s", fake.ending(ids.get("snooze")).get("retry_after"));
        assertEquals("java.lang.IllegalArgumentException", fake.error(ids.get("dead")).get("type"));
        assertEquals("no such order: number", fake.error(ids.get("dead")).get("message"));
        assertEquals("java.net.ConnectException", fake.error(ids.get("fail")).get("type"));
        assertTrue(fake.error(ids.get("fail")).get("stack").toString().contains("the shop hung up"));
        assertEquals("throttled 429", fake.error(ids.get("own")).get("category") + " " + fake.error(ids.get("own")).get("code"));
        assertEquals("40001", fake.error(ids.get("sql")).get("code"));
        assertEquals("StackOverflowError", fake.error(ids.get("error")).get("message"));
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> Object sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test void whatCannotBeSentHarmsNobodyElse() {
        List<Object> ring = new ArrayList<>();
        ring.add(ring);
        RuntimeException mute = new RuntimeException() {
            private static final long serialVersionUID = 1L;

            @Override public String getMessage() {
                throw new IllegalStateException("not a word");
            }
        };
        Map<String, Handler<Payload>> kinds = new LinkedHashMap<>();
        kinds.put("large", (context, in) -> "x".repeat(64 << 10));
        kinds.put("type", (context, in) -> new Object());
        kinds.put("cycle", (context, in) -> ring);
        kinds.put("nan", (context, in) -> Double.NaN);
        kinds.put("text", (context, in) -> "\ud800");
        kinds.put("mute", (context, in) -> sneak(mute));
        kinds.put("nul", (context, in) -> sneak(new IllegalStateException("a\0b\ud800")));
        Map<String, String> odd = new LinkedHashMap<>();
        List<String> fine = new ArrayList<>();
        kinds.keySet().forEach(kind -> {
            odd.put(kind, fake.give("odd", kind));
            fine.add(fake.give("fine", null));
        });
        start(builder().handler("odd", Payload.class, (context, in) -> kinds.get(in.as(String.class)).handle(context, in)));
        fine.forEach(id -> assertEquals("fine", fake.ending(id).get("result")));
        odd.forEach((kind, id) -> {
            assertEquals("failed", outcome(fake.ending(id)), kind);
            assertEquals(!List.of("mute", "nul").contains(kind), "bad_result".equals(fake.error(id).get("code")), kind);
        });
    }

    @Test void aPayloadOfAnotherForm() {
        String id = fake.give("count", "many");
        start(builder().handler("count", Integer.class, (context, in) -> in));
        assertEquals("permanent bad_payload", fake.error(id).get("category") + " " + fake.error(id).get("code"));
    }

    /**
     * Three endings wait behind a first one, and are told together; a proxy finds that too much, and the server takes no
     * word of one of them.
     */
    @Test void aRefusedBatchIsSplit() {
        List<String> bad = Collections.synchronizedList(new ArrayList<>());
        Running[] made = new Running[1];
        CountDownLatch started = new CountDownLatch(1);
        fake.fault(SETTLE, body -> {
            await(started);
            while (made[0].worker.settler.waiting() < 3) Thread.onSpinWait();
            return null;
        });
        fake.always(SETTLE, body -> {
            if (Fake.items(body).size() > 2) return Fake.answer(413, "<html>").reply(body);
            boolean wrong = Fake.items(body).stream().anyMatch(one -> bad.contains(one.get("id")) && outcome(one).equals("succeeded"));
            return wrong ? Fake.answer(400, "{\"code\":\"invalid\",\"detail\":\"results[1].result is nested too deeply\"}").reply(body) : null;
        });
        String first = fake.give("fine", null);
        made[0] = start(builder());
        started.countDown();
        fake.until(() -> !fake.about(SETTLE, first).isEmpty());
        List<String> ids = List.of(fake.give("fine", null), TaskId.create(), fake.give("fine", null));
        bad.add(ids.get(1));
        fake.give("fine", null, "id", ids.get(1));
        assertEquals("[succeeded, failed, succeeded]", ids.stream().map(id -> outcome(fake.ending(id))).toList().toString());
        Map<String, Object> error = fake.error(ids.get(1));
        assertEquals("bad_result permanent", error.get("code") + " " + error.get("category"));
        assertTrue(error.get("message").toString().contains("nested too deeply"));
    }

    @Test void aLostAnswerIsAskedForAgain() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        fake.fault(SETTLE, Fake.LOST, Fake.IGNORED, Fake.problem(503, "unavailable"), Fake.answer(200, "{"), Fake.answer(200, "{\"results\":[]}"));
        fake.fault(SETTLE, FOREIGN);
        fake.fault(SETTLE, Fake.problem(404, "not_found"));
        String id = fake.give("count", null);
        Running worker = start("count", (context, in) -> ran.incrementAndGet());
        fake.until(() -> fake.about(SETTLE, id).size() == 10);
        worker.stop();
        List<Map<String, Object>> told = fake.about(SETTLE, id);
        assertEquals(List.of(1, 10), List.of(ran.get(), told.size()));
        told.forEach(one -> assertEquals(told.get(0).toString(), one.toString()));
    }

    @Test void aStaleClaimIsDropped() throws Exception {
        String stale = fake.give("fine", null);
        fake.statuses.put(stale, "stale_claim");
        Running worker = start(builder().concurrency(1));
        fake.ending(fake.give("fine", null));
        worker.stop();
        assertEquals(1, fake.about(SETTLE, stale).size());
    }

    @Test void garbage() {
        fake.fault(
            POLL, Fake.answer(200, "<html>"), Fake.answer(200, "{\"tasks\":3}"), Fake.answer(200, "[]"), Fake.answer(200, "{\"tasks\":[{\"id\":5},null]}"),
            Fake.IGNORED, Fake.LOST, Fake.problem(503, "unavailable", "Retry-After", "0"), Fake.answer(200, ""),
            Fake.answer(200, "{\"tasks\":[{\"id\":\"x\",\"type\":\"fine\",\"claim\":1,\"payload\":" + "9".repeat(5000) + "}]}"));
        fake.fault(POLL, FOREIGN);
        fake.give("fine", null, "claim", "y");
        start(builder());
        fake.ending("x");
        fake.ending(fake.give("fine", null));
    }

    /** Answers as proxies may give them: in chunks, without a length, after a notice. */
    @Test void formsOfAnswers() throws IOException {
        String body = "{\"tasks\":[]}";
        List<String> forms = List.of(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\n{\"t\r\n9\r\nasks\":[]}\r\n0\r\nX: y\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\n" + body, "HTTP/1.1 200 OK\nConnection: close\n\n" + body, "HTTP/1.1 204 No Content\r\n\r\n");
        List<String> broken = List.of("", "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 200 OK\r\nbroken\r\n\r\n");
        try (java.net.ServerSocket server = new java.net.ServerSocket(0, 9, java.net.InetAddress.getLoopbackAddress())) {
            java.net.URI uri = java.net.URI.create("http://127.0.0.1:" + server.getLocalPort());
            for (String form : forms) assertTrue(List.of(body, "").contains(new String(exchange(server, uri, form).body(), java.nio.charset.StandardCharsets.UTF_8)));
            for (String form : broken) assertThrows(IOException.class, () -> exchange(server, uri, form), form);
        }
    }

    private Exchange.Reply exchange(java.net.ServerSocket server, java.net.URI uri, String answer) throws IOException {
        Thread peer = new Thread(() -> {
            try (java.net.Socket socket = server.accept()) {
                socket.getInputStream().read(new byte[9999]);
                socket.getOutputStream().write(answer.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            } catch (IOException gone) {
                throw new IllegalStateException(gone);
            }
        });
        peer.start();
        SocketExchange exchange = new SocketExchange(uri, Map.of(), null, clock);
        try {
            return exchange.send("POST", "/", new byte[0], clock.now() + Clock.nanos(Fake.PATIENCE));
        } finally {
            exchange.close();
        }
    }

    @Test void moreThanWasAskedFor() {
        List<String> ids = List.of(TaskId.create(), TaskId.create());
        String tasks = ids.stream().map(id -> "{\"id\":\"" + id + "\",\"type\":\"fine\",\"claim\":1,\"attempt\":1}").toList().toString();
        fake.fault(POLL, Fake.answer(200, "{\"tasks\":" + tasks + "}"));
        start(builder().concurrency(1));
        assertEquals("[succeeded, released]", ids.stream().map(id -> outcome(fake.ending(id))).toList().toString());
    }

    @Test void oneTaskTwice() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        String task = "{\"id\":\"x\",\"type\":\"count\",\"claim\":1,\"attempt\":1}";
        fake.fault(POLL, Fake.answer(200, "{\"tasks\":[" + task + "," + task + "]}"));
        Running worker = start("count", (context, in) -> {
            await(go);
            return ran.incrementAndGet();
        });
        fake.until(() -> fake.called(POLL).size() == 2);
        assertEquals("9", fake.called(POLL).get(1).body().get("max").toString());
        go.countDown();
        fake.ending("x");
        worker.stop();
        assertEquals(1, ran.get());
    }

    @Test void noMoreIsPolledThanThereIsRoomFor() {
        for (int i = 0; i < 3; i++) fake.give("wait", null);
        Running worker = start(builder().concurrency(3));
        fake.until(() -> worker.worker.hand.all().size() == 3);
        int before = fake.called(POLL).size();
        go.countDown();
        fake.until(() -> fake.called(POLL).size() > before);
        assertEquals("3", fake.called(POLL).get(0).body().get("max").toString());
        fake.called(POLL).forEach(poll -> assertTrue(((Number) poll.body().get("max")).intValue() <= 3));
    }

    /** The lease is over when the answer is there: the task may run elsewhere already. */
    @Test void anAnswerThatComesTooLate() {
        String id = fake.give("fine", null);
        fake.fault(POLL, body -> {
            clock.goOn(31);
            return null;
        });
        start(builder());
        assertEquals("released", outcome(fake.ending(id)));
    }

    // Leases.

    @Test void aBusyHandlerKeepsItsLease() {
        CountDownLatch extended = new CountDownLatch(1);
        fake.always(EXTEND, body -> {
            extended.countDown();
            return null;
        });
        String id = fake.give("busy", null);
        start("busy", (context, in) -> {
            context.progress(Map.of("done", 1));
            clock.goOn(11);
            while (extended.getCount() > 0) Thread.onSpinWait();
            return context.stopReason() == null;
        });
        assertEquals(true, fake.ending(id).get("result"));
        assertEquals("{done=1}", fake.about(EXTEND, id).get(0).get("progress").toString());
    }

    /** The lease is extended without it. */
    @Test void progressThatIsRefused() {
        fake.fault(EXTEND, FOREIGN[0]); // which says nothing about it
        fake.always(EXTEND, body -> Fake.items(body).stream().anyMatch(one -> one.containsKey("progress")) ? Fake.problem(400, "invalid").reply(body) : null);
        String id = fake.give("long", null);
        start("long", (context, in) -> {
            context.progress(List.of());
            clock.goOn(11);
            await(go);
            return null;
        });
        fake.until(() -> fake.about(EXTEND, id).size() == 3);
        for (int i : List.of(0, 1)) assertEquals(List.of(), fake.about(EXTEND, id).get(i).get("progress"));
        assertFalse(fake.about(EXTEND, id).get(2).containsKey("progress"));
    }

    @Test void whatIsNotSettledYetIsExtended() {
        String id = fake.give("fine", null);
        fake.fault(SETTLE, body -> fake.until(() -> !fake.about(EXTEND, id).isEmpty()) ? null : null);
        soon();
        start(builder());
        assertEquals("succeeded", outcome(fake.ending(id)));
    }

    @Test void canceled() {
        String id = fake.give("long", null);
        fake.statuses.put(id, "canceled");
        soon();
        start("long", (context, in) -> {
            context.pause(Fake.PATIENCE);
            return null;
        });
        assertEquals("canceled", outcome(fake.ending(id)));
    }

    @Test void blockingCallsAreInterrupted() {
        String id = fake.give("long", null);
        fake.statuses.put(id, "canceled");
        soon();
        start("long", (context, in) -> new CountDownLatch(1).await(Fake.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals("canceled", outcome(fake.ending(id)));
    }

    @Test void lostByTheWordOfTheServer() throws Exception {
        List<StopReason> reasons = Collections.synchronizedList(new ArrayList<>());
        String id = fake.give("long", null);
        fake.statuses.put(id, "stale_claim");
        soon();
        Running worker = start(builder().concurrency(1).handler("long", Payload.class, (context, in) -> {
            CountDownLatch stopped = new CountDownLatch(1);
            context.onStop(stopped::countDown);
            while (stopped.getCount() > 0) await(stopped);
            reasons.add(context.stopReason());
            return null;
        }));
        fake.ending(fake.give("fine", null));
        worker.stop();
        assertEquals(List.of(StopReason.LEASE_LOST), reasons);
        assertEquals(List.of(), fake.about(SETTLE, id));
    }

    /** The answer of a poll takes 20 s of a lease of 30: it is extended at once, not in ten seconds. */
    @Test void measuredFromBeforeThePoll() {
        String id = fake.give("wait", null);
        fake.fault(POLL, body -> {
            clock.goOn(20);
            return null;
        });
        start(builder());
        fake.until(() -> !fake.about(EXTEND, id).isEmpty());
    }

    /** Nothing is heard for longer than the lease: the handler is stopped, and the ending is dropped. */
    @Test void lostByTheClock() throws Exception {
        List<StopReason> reasons = Collections.synchronizedList(new ArrayList<>());
        String id = fake.give("long", null);
        fake.always(EXTEND, Fake.IGNORED);
        Running worker = start(builder().concurrency(1).handler("long", Payload.class, (context, in) -> {
            clock.goOn(31);
            try {
                context.pause(Fake.PATIENCE);
            } catch (Stopped stop) {
                reasons.add(stop.reason());
            }
            return null;
        }));
        fake.ending(fake.give("fine", null));
        worker.stop();
        assertEquals(List.of(StopReason.LEASE_LOST), reasons);
        assertEquals(List.of(), fake.about(SETTLE, id));
    }

    @Test void wallClocksDoNotMatter() throws Exception {
        for (int years : List.of(-3, 3)) {
            fake.skew = Duration.ofDays(365L * years);
            CountDownLatch extended = new CountDownLatch(1);
            fake.always(EXTEND, body -> {
                extended.countDown();
                return null;
            });
            Instant now = Instant.now().plus(fake.skew);
            String id = fake.give("long", null, "attempt_ends", now.plusSeconds(100).toString(), "lease_until", now.plusSeconds(30).toString());
            soon();
            Running worker = start("long", (context, in) -> {
                await(extended);
                assertNull(context.stopReason());
                assertTrue(context.timeLeft().get().compareTo(Duration.ofSeconds(100)) <= 0);
                return Duration.between(now, context.serverNow()).abs().compareTo(Duration.ofDays(1)) < 0;
            });
            assertEquals(true, fake.ending(id).get("result"));
            worker.stop();
        }
    }

    @Test void theTimeOfAnAttempt() {
        Instant now = Instant.now();
        String id = fake.give("long", null, "attempt_ends", now.plusMillis(10).toString(), "lease_until", now.plusSeconds(30).toString());
        start("long", (context, in) -> {
            Thread.sleep(Fake.PATIENCE.toMillis());
            return null;
        });
        assertEquals("failed timeout", outcome(fake.ending(id)) + " " + fake.error(id).get("category"));
    }

    // Stops.

    /** The server has leased a task in the same moment: it is handed back at no cost. */
    @Test void inTheMiddleOfAPoll() throws Exception {
        Map<String, Object> late = new LinkedHashMap<>(Map.of("id", TaskId.create(), "type", "fine", "attempt", 1, "claim", 3));
        fake.late.add(late);
        Running worker = start(builder().lease(Duration.ofHours(1)));
        fake.until(() -> fake.polling > 0);
        assertNull(worker.stop());
        assertEquals("released", outcome(fake.ending((String) late.get("id"))));
        assertEquals(1, fake.called(POLL).size());
    }

    @Test void runningHandlersMayEnd() throws Exception {
        String id = fake.give("wait", null);
        Running worker = start(builder().grace(Fake.PATIENCE));
        fake.until(() -> !worker.worker.hand.all().isEmpty());
        worker.worker.stop();
        fake.until(worker.worker.hand::stopping);
        go.countDown();
        assertNull(worker.ends());
        assertEquals("succeeded", outcome(fake.ending(id)));
    }

    /** One handler notices and one does not: both tasks are handed back. */
    @Test void afterTheGrace() throws Exception {
        CountDownLatch started = new CountDownLatch(2);
        List<String> ids = List.of(fake.give("polite", null), fake.give("deaf", null));
        Running worker = start(builder().grace(Duration.ZERO).releaseAfter(Duration.ZERO).handler("polite", Payload.class, (context, in) -> {
            started.countDown();
            context.pause(Fake.PATIENCE);
            return null;
        }).handler("deaf", Payload.class, (context, in) -> {
            started.countDown();
            while (go.getCount() > 0) await(go);
            return null;
        }));
        await(started);
        assertNull(worker.stop());
        assertEquals("[released, released]", ids.stream().map(id -> outcome(fake.ending(id))).toList().toString());
    }

    @Test void anInterruptIsAStop() throws Exception {
        Running worker = start(builder());
        fake.until(() -> fake.polling > 0);
        worker.thread.interrupt();
        assertNull(worker.ends());
    }

    @Test void inTheBackground() {
        Worker worker = builder().build().start();
        fake.ending(fake.give("fine", null));
        assertTrue(worker.isRunning());
        worker.close();
        assertFalse(worker.isRunning());
        assertThrows(IllegalStateException.class, worker::run);
        fake.always(POLL, Fake.problem(403, "denied"));
        Worker denied = builder().build().start();
        assertThrows(DeniedException.class, () -> {
            fake.until(() -> !denied.isRunning());
            denied.close();
        });
    }

    @Test void aDeadPartEndsTheWorker() throws Exception {
        for (String part : List.of("poll", "extend", "settle")) {
            Map<String, String> paths = Map.of("poll", POLL, "extend", EXTEND, "settle", SETTLE);
            JumpingClock broken = new JumpingClock() {
                @Override long pause(int tries, OutlastException error) {
                    throw new OutOfMemoryError("no room");
                }
            };
            try (Fake own = new Fake()) {
                own.always(paths.get(part), Fake.IGNORED);
                own.give(part.equals("settle") ? "fine" : "wait", null);
                Running worker = new Running(Worker.builder(own.client(broken)).handler("fine", Payload.class, (context, in) -> 1)
                    .handler("wait", Payload.class, (context, in) -> new CountDownLatch(1).await(60, TimeUnit.SECONDS)).build());
                broken.drives(worker.worker);
                if (part.equals("extend")) own.fault(POLL, body -> {
                    broken.goOn(11);
                    return null;
                });
                worker.thread.start();
                assertInstanceOf(WorkerException.class, worker.ends(), part);
                assertTrue(worker.failure.getMessage().contains("since " + part + " died"), worker.failure.getMessage());
            }
        }
    }

    @Test void aTokenThatIsRefused() throws Exception {
        Map<String, String> types = Map.of(POLL, "fine", SETTLE, "fine", EXTEND, "wait", STEPS, "step");
        for (Map.Entry<String, String> one : types.entrySet()) {
            try (Fake own = new Fake()) {
                fake.close();
                fake = own;
                own.always(one.getKey(), Fake.answer(401, "{\"code\":\"unauthenticated\",\"detail\":\"the token is revoked\"}"));
                own.give(one.getValue(), null);
                if (one.getKey().equals(EXTEND)) soon();
                Running worker = start("step", (context, in) -> context.step("a", Integer.class, () -> 1));
                assertInstanceOf(DeniedException.class, worker.ends(), one.getKey());
                assertTrue(worker.failure.getMessage().contains("revoked"));
            }
        }
    }

    @Test void aPollThatIsRefused() throws Exception {
        for (Fake.Fault refusal : List.of(Fake.problem(400, "invalid"), Fake.problem(405, "method_not_allowed"), Fake.answer(401, "<html>"))) {
            fake.fault(POLL, refusal);
            assertInstanceOf(WorkerException.class, start(builder()).ends());
        }
    }

    @Test void whatCannotBe() {
        Worker.Builder builder = builder();
        assertThrows(IllegalArgumentException.class, () -> builder.concurrency(0));
        assertThrows(IllegalArgumentException.class, () -> builder.lease(Duration.ofMillis(5)));
        assertThrows(IllegalArgumentException.class, () -> builder.handler("fine", String.class, (context, in) -> in));
        assertThrows(IllegalArgumentException.class, () -> Worker.builder(fake.client()).build());
    }

    // Steps.

    @Test void doneOnce() {
        record Charge(List<Integer> key) {}
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        fake.fault(STEPS, Fake.LOST, Fake.IGNORED, Fake.problem(503, "unavailable"));
        fake.fault(STEPS, FOREIGN);
        Map<String, Object> reserved = Map.of("name", "reserve", "occurrence", 1, "result", "desk"), mailed = Map.of("name", "mail", "occurrence", 1, "result", 5);
        String id = fake.give("order", null, "steps", List.of(reserved, mailed));
        start("order", (context, in) -> {
            String place = context.step("reserve", String.class, () -> done.add("reserve") ? "?" : "");
            Charge charge = context.step("charge", Charge.class, () -> new Charge(List.of(1, 2)), made -> new Compensation("refund", made));
            List<Integer> mails = new ArrayList<>();
            for (int i = 0; i < 2; i++) mails.add(context.step("mail", Integer.class, () -> done.add("mail") ? done.size() : 0));
            return List.of(place, charge, mails);
        });
        assertEquals("[desk, {key=[1, 2]}, [5, 1]]", fake.ending(id).get("result").toString());
        assertEquals(List.of("mail"), done);
        fake.steps.forEach(step -> step.remove("started_at"));
        assertEquals(3, fake.steps.size());
        assertEquals(fake.steps.get(0).toString(), fake.steps.get(1).toString());
        assertEquals("{key=[1, 2]} {type=refund, payload={key=[1, 2]}}", fake.steps.get(0).get("result") + " " + fake.steps.get(0).get("compensation"));
        assertEquals("mail 2 1", fake.steps.get(2).get("name") + " " + fake.steps.get(2).get("occurrence") + " " + fake.steps.get(2).get("result"));
    }

    /** A stop interrupts the handler while a step is being kept: it is kept all the same. */
    @Test void aStopWhileAStepIsKept() throws Exception {
        Map<String, Boolean> after = new ConcurrentHashMap<>();
        CountDownLatch asked = new CountDownLatch(1), interrupted = new CountDownLatch(1);
        fake.fault(STEPS, body -> {
            asked.countDown();
            await(interrupted);
            return null;
        });
        String id = fake.give("order", null);
        Running worker = start(builder().grace(Duration.ZERO).handler("order", Payload.class, (context, in) -> {
            context.onStop(interrupted::countDown);
            after.put("kept", context.step("charge", Integer.class, () -> 7) == 7);
            after.put("interrupted", Thread.currentThread().isInterrupted());
            context.step("never", () -> after.put("never", true));
            return null;
        }));
        await(asked);
        assertNull(worker.stop());
        assertEquals(Map.of("kept", true, "interrupted", true), after);
        assertEquals("released", outcome(fake.ending(id)));
    }

    @Test void notOursAnyMore() throws Exception {
        AtomicInteger further = new AtomicInteger();
        String lost = fake.give("order", null);
        fake.fault(STEPS, Fake.answer(200, "{\"results\":[{\"id\":\"" + lost + "\",\"status\":\"stale_claim\"}]}"));
        Running worker = start(builder().concurrency(1).handler("order", Payload.class, (context, in) -> {
            context.step("charge", Integer.class, () -> 1);
            return further.incrementAndGet();
        }));
        fake.ending(fake.give("fine", null));
        worker.stop();
        assertEquals(0, further.get());
        assertEquals(List.of(), fake.about(SETTLE, lost));
    }

    @Test void refused() {
        List<String> ids = List.of(fake.give("order", null), fake.give("order", null));
        fake.fault(
            STEPS, Fake.answer(400, "{\"code\":\"invalid\",\"detail\":\"items[0].result is nested too deeply\"}"), Fake.answer(413, "<html>"));
        start("order", (context, in) -> context.step("charge", Integer.class, () -> 1));
        for (String id : ids) assertEquals("bad_result", fake.error(id).get("code"));
    }
}
