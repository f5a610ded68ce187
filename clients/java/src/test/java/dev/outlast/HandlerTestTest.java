package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Handlers run without a server, and what a context does. */
class HandlerTestTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    record Order(int cents, Optional<String> note) {}

    @Test void verdicts() {
        Handler<Order> order = (context, in) -> {
            context.progress(Map.of("at", 1));
            assertSame(context, Context.current());
            if (in.cents() == 0) throw new GiveUp("nothing to charge");
            if (context.attempt() == 1) throw new SocketTimeoutException("no answer");
            return Map.of("attempt", context.attempt(), "cents", in.cents());
        };
        HandlerTest.Verdict first = HandlerTest.of(Order.class, order).payload(new Order(5, Optional.empty())).run();
        assertEquals("failed java.net.SocketTimeoutException {\"at\":1}", first.outcome() + " " + first.error().get("type") + " " + first.progress());
        HandlerTest.Verdict second = HandlerTest.of(Order.class, order).payload(Map.of("cents", 5)).attempt(2).run();
        assertEquals("succeeded", second.outcome());
        assertEquals(new TreeMap<>(Map.of("attempt", 2L, "cents", 5L)), new TreeMap<>(second.result().as(new TypeRef<Map<String, Long>>() {})));
        HandlerTest.Verdict dead = HandlerTest.of(Order.class, order).payload(new Order(0, Optional.of("x"))).run();
        assertEquals("dead nothing to charge", dead.outcome() + " " + dead.error().get("message"));
        assertEquals("bad_payload", HandlerTest.of(Order.class, order).payload(List.of()).run().error().get("code"));
        assertEquals("bad_result", HandlerTest.of(Order.class, (context, in) -> new Object()).run().error().get("code"));
        assertThrows(IllegalStateException.class, Context::current);
    }

    @Test void verdictsPassCatchException() {
        HandlerTest.Verdict verdict = HandlerTest.of(Payload.class, (context, in) -> {
            try {
                throw new Snooze(Duration.ofSeconds(5));
            } catch (Exception swallowed) {
                return null;
            }
        }).run();
        assertEquals(Duration.ofSeconds(5), verdict.retryAfter());
    }

    /** The server takes no negative one. */
    @Test void aTimeThatIsOver() {
        for (Steering wish : List.of(new Snooze(Duration.ofMillis(-1)), new RetryAfter(Duration.ofDays(-1), "late"))) {
            HandlerTest.Verdict verdict = HandlerTest.of(Payload.class, (context, in) -> {
                throw wish;
            }).run();
            assertEquals(Duration.ZERO, verdict.retryAfter());
        }
    }

    /** It is called by a thread of the worker, which goes on. */
    @Test void onStopThatFails() {
        List<String> seen = new ArrayList<>();
        HandlerTest.of(Payload.class, (context, in) -> {
            context.onStop(context::checkStopped);
            context.onStop(() -> seen.add("next"));
            context.stop(StopReason.CANCELED);
            return null;
        }).run();
        assertEquals(List.of("next"), seen);
    }

    @Test void stopped() {
        Map<StopReason, String> outcomes = new TreeMap<>();
        for (StopReason reason : StopReason.values()) {
            outcomes.put(reason, HandlerTest.of(Payload.class, (context, in) -> {
                Thread.sleep(Duration.ofHours(1).toMillis());
                return null;
            }).stop(reason).run().outcome());
        }
        assertEquals("{CANCELED=canceled, LEASE_LOST=released, TIMEOUT=failed, STOPPING=released}", outcomes.toString());
        assertEquals("succeeded", HandlerTest.of(Payload.class, (context, in) -> "done").stop(StopReason.CANCELED).run().outcome());
        List<String> seen = new ArrayList<>();
        HandlerTest.of(Payload.class, (context, in) -> {
            context.onStop(() -> seen.add("late"));
            return null;
        }).stop(StopReason.CANCELED).run();
        assertEquals(List.of("late"), seen);
    }

    @Test void aFailedStepIsDoneAgain() {
        List<Integer> tries = new ArrayList<>();
        HandlerTest.Verdict verdict = HandlerTest.of(Payload.class, (context, in) -> {
            try {
                context.step("call", Integer.class, () -> {
                    tries.add(1);
                    throw new ConnectException("gone");
                });
            } catch (ConnectException gone) {
                tries.add(2);
            }
            return context.step("call", Integer.class, tries::size);
        }).run();
        assertEquals("2", verdict.result().json());
        assertEquals("call 1 2", verdict.steps().get(0).name() + " " + verdict.steps().get(0).occurrence() + " " + verdict.steps().get(0).result());
    }

    @Test void twoOfOneNameAtOnce() {
        HandlerTest.Verdict verdict = HandlerTest.of(Payload.class, (context, in) ->
            context.step("a", Integer.class, () -> context.step("a", Integer.class, () -> 1))).run();
        assertEquals("bug invalid", verdict.error().get("category") + " " + verdict.error().get("code"));
    }

    @Test void sideBySide() {
        CyclicBarrier both = new CyclicBarrier(2);
        HandlerTest.Verdict verdict = HandlerTest.of(Payload.class, (context, in) -> {
            Thread other = new Thread(() -> {
                try {
                    context.step("a", Integer.class, both::await);
                } catch (Exception broken) {
                    throw new IllegalStateException(broken);
                }
            });
            other.start();
            context.step("b", Integer.class, both::await);
            other.join();
            return null;
        }).run();
        assertEquals("[a, b]", verdict.steps().stream().map(Step::name).sorted().collect(Collectors.toList()).toString());
    }

    @Test void results() {
        HandlerTest.Verdict large = HandlerTest.of(Payload.class, (context, in) -> context.step("a", String.class, () -> "x".repeat(64 << 10))).run();
        assertEquals("bad_result []", large.error().get("code") + " " + large.steps());
        HandlerTest.Verdict undone = HandlerTest.of(Payload.class, (context, in) -> {
            context.step("none", () -> {});
            return context.step("charge", new TypeRef<List<Integer>>() {}, () -> List.of(7), made -> new Compensation("refund", made.get(0)));
        }).run();
        assertEquals("[7]", undone.result().json());
        assertEquals(new Compensation("refund", 7), undone.steps().get(1).compensation());
    }

    @Test void sleep() {
        Handler<Payload> handler = (context, in) -> {
            context.sleep("a while", Duration.ofDays(3));
            return "awake";
        };
        HandlerTest.Verdict first = HandlerTest.of(Payload.class, handler).now(NOW).run();
        assertEquals("snoozed 3", first.outcome() + " " + first.retryAfter().plusSeconds(1).toDays());
        HandlerTest.Verdict later = HandlerTest.of(Payload.class, handler).now(NOW.plus(Duration.ofDays(1))).steps(first.steps()).run();
        assertEquals("snoozed 2 1", later.outcome() + " " + later.retryAfter().plusSeconds(1).toDays() + " " + later.steps().size());
        assertEquals("\"awake\"", HandlerTest.of(Payload.class, handler).now(NOW.plus(Duration.ofDays(3))).steps(first.steps()).run().result().json());
    }

    @Test void signals() {
        Handler<Payload> handler = (context, in) -> context.awaitSignal("approval", Object.class, Duration.ofDays(7), Duration.ofMinutes(1));
        HandlerTest.Verdict first = HandlerTest.of(Payload.class, handler).now(NOW).run();
        assertEquals("snoozed PT1M", first.outcome() + " " + first.retryAfter());
        HandlerTest.Verdict again = HandlerTest.of(Payload.class, handler).now(NOW.plus(Duration.ofDays(7)).minusSeconds(30)).steps(first.steps()).run();
        assertEquals(30, again.retryAfter().plusMillis(999).toSeconds());
        List<Step> signaled = new ArrayList<>(first.steps());
        signaled.add(HandlerTest.signal("approval", Map.of("by", "Ada")));
        assertEquals("{\"by\":\"Ada\"}", HandlerTest.of(Payload.class, handler).steps(signaled).run().result().json());
        HandlerTest.Verdict late = HandlerTest.of(Payload.class, handler).now(NOW.plus(Duration.ofDays(8))).steps(first.steps()).run();
        assertEquals("failed permanent timeout", late.outcome() + " " + late.error().get("category") + " " + late.error().get("code"));
    }

    @Test void aCodecOfOnesOwn() {
        Codec loud = new Codec() {
            @Override public byte[] encode(Object value) {
                return Codec.json().encode(value instanceof String text ? text.toUpperCase(java.util.Locale.ROOT) : value);
            }

            @Override public Object decode(byte[] json, java.lang.reflect.Type type) {
                return Codec.json().decode(json, type);
            }
        };
        HandlerTest.Verdict verdict = HandlerTest.of(String.class, (context, in) -> in + "!").codec(loud).payload("a").run();
        assertEquals("\"A!\"", verdict.result().json());
        Codec broken = new Codec() {
            @Override public byte[] encode(Object value) {
                return new byte[] {'{'};
            }

            @Override public Object decode(byte[] json, java.lang.reflect.Type type) {
                return new HashMap<>();
            }
        };
        assertThrows(CodecException.class, () -> HandlerTest.of(Map.class, (context, in) -> in).codec(broken).run());
    }
}
