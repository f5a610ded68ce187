package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Signatures of pushed requests. */
class WebhookTest {
    private static final String OLD = "whsec_" + Base64.getEncoder().encodeToString("oooooooooooooooooooooooo".getBytes(StandardCharsets.UTF_8));
    private static final String NEW = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final Clock AT = Clock.fixed(Instant.ofEpochSecond(1000), ZoneOffset.UTC);
    private final WebhookVerifier verifier = new WebhookVerifier(Duration.ofMinutes(5), AT, NEW);

    private static String secret(int size) {
        return "whsec_" + Base64.getEncoder().encodeToString(new byte[size]);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> headers(String secret, String body, long at) {
        return new HashMap<>(Map.of(
            "Webhook-Id", "msg_1", "Webhook-Timestamp", "" + at, "Webhook-Signature",
            WebhookVerifier.sign(secret, "msg_1", Instant.ofEpochSecond(at), bytes(body)), "Outlast-Claim", "17", "Outlast-Attempt", "2"));
    }

    private static Map<String, String> with(Map<String, String> headers, String name, String value) {
        Map<String, String> changed = new HashMap<>(headers);
        if (value == null) changed.remove(name);
        else changed.put(name, value);
        return changed;
    }

    /** The example of Standard Webhooks and its libraries. */
    @Test void thatOfTheStandard() {
        String signature = WebhookVerifier.sign(NEW, "msg_p5jXN8AQM9LWM0D4loKWxJek", Instant.ofEpochSecond(1614265330), bytes("{\"test\": 2432232314}"));
        assertEquals("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", signature);
    }

    @Test void whatItIs() throws WebhookException {
        Map<String, String> headers = headers(NEW, "{\"n\": 1}", 1000);
        headers.putAll(Map.of("Outlast-Task-Type", "order.paid", "Outlast-Key", "a%20b+c", "Outlast-Max-Attempts", "5", "Outlast-Deadline", "2030-01-01T00:00:00.5Z"));
        Push push = verifier.verify(bytes("{\"n\": 1}"), headers);
        assertEquals(List.of("msg_1", 17L, 2, 5), List.of(push.id(), push.claim(), push.attempt(), push.maxAttempts()));
        assertEquals(List.of("order.paid", "a b+c", Instant.ofEpochSecond(1000)), List.of(push.type(), push.key(), push.sentAt()));
        assertEquals(Map.of("n", 1L), push.body().as(Map.class));
        assertEquals(Instant.parse("2030-01-01T00:00:00.5Z"), push.deadline());
    }

    @Test void refused() throws WebhookException {
        Map<String, String> good = headers(NEW, "{}", 1000);
        List<Map<String, String>> wrong = List.of(
            with(good, "Webhook-Id", "msg_2"), with(good, "Webhook-Timestamp", "1001"), headers(NEW, "{}", 699), headers(NEW, "{}", 1301),
            headers(OLD, "{}", 1000), with(good, "Webhook-Signature", "v2" + good.get("Webhook-Signature").substring(2)),
            with(good, "Webhook-Timestamp", "+1000"), with(good, "Webhook-Signature", "v1,\u00e4 v1 ,"), with(good, "Outlast-Claim", "x"),
            with(good, "Outlast-Attempt", "9999999999"), with(good, "Outlast-Deadline", "soon"),
            with(good, "Webhook-Id", null), with(good, "Webhook-Timestamp", null), with(good, "Webhook-Signature", null));
        for (Map<String, String> headers : wrong) assertThrows(WebhookException.class, () -> verifier.verify(bytes("{}"), headers), headers.toString());
        assertThrows(WebhookException.class, () -> verifier.verify(bytes("{ }"), good));
        Map<String, String> upper = new HashMap<>();
        good.forEach((name, value) -> upper.put(name.toUpperCase(java.util.Locale.ROOT), value));
        verifier.verify(bytes("{}"), upper);
        for (long at : List.of(700L, 1300L)) verifier.verify(bytes("{}"), headers(NEW, "{}", at));
    }

    @Test void rotation() throws WebhookException {
        WebhookVerifier both = new WebhookVerifier(Duration.ofMinutes(5), AT, OLD, NEW);
        for (String secret : List.of(OLD, NEW)) both.verify(bytes("{}"), headers(secret, "{}", 1000));
        Map<String, String> two = headers(OLD, "{}", 1000);
        two.merge("Webhook-Signature", headers(NEW, "{}", 1000).get("Webhook-Signature"), (one, other) -> one + " " + other);
        verifier.verify(bytes("{}"), two);
    }

    @Test void secrets() {
        for (String secret : List.of("", "MfKQ", "whsec_***", secret(0), secret(23), secret(65))) {
            assertThrows(IllegalArgumentException.class, () -> new WebhookVerifier(secret), secret);
        }
        new WebhookVerifier(secret(24), secret(64));
        assertThrows(IllegalArgumentException.class, () -> new WebhookVerifier());
    }
}
