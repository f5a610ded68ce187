package dev.outlast;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Checks the signatures of pushed tasks, which are those of Standard Webhooks. It is safe for many threads. */
public final class WebhookVerifier {
    private final List<byte[]> secrets = new ArrayList<>();
    private final Duration tolerance;
    private final Clock clock;

    /** Takes the secret, {@code whsec_} and 24 to 64 bytes in base64; while a secret is being changed, give it both. */
    public WebhookVerifier(String... secrets) {
        this(Duration.ofMinutes(5), Clock.systemUTC(), secrets);
    }

    /** The same with the age of a request that is too old, or lies too far ahead, and the clock that tells. */
    public WebhookVerifier(Duration tolerance, Clock clock, String... secrets) {
        if (secrets.length == 0) throw new IllegalArgumentException("give a secret");
        for (String secret : secrets) this.secrets.add(secret(secret));
        this.tolerance = tolerance;
        this.clock = clock;
    }

    /** Returns what the request is. The body is what came, byte for byte; names of headers may have any case. */
    public Push verify(byte[] body, Map<String, String> headers) throws WebhookException {
        Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, value) -> {
            if (name != null) given.put(name, value);
        });
        return verify(body, given::get);
    }

    /** The same with a function that gives the value of a header, or null, such as {@code request::getHeader}. */
    public Push verify(byte[] body, Function<String, String> header) throws WebhookException {
        String id = required(header, "webhook-id"), stamp = required(header, "webhook-timestamp");
        if (!stamp.matches("[0-9]{1,12}")) throw new WebhookException("webhook-timestamp is no Unix time");
        if (!isSigned(id, stamp, body, required(header, "webhook-signature"))) throw new WebhookException("no signature fits");
        Instant sent = Instant.ofEpochSecond(Long.parseLong(stamp));
        if (Duration.between(sent, clock.instant()).abs().compareTo(tolerance) > 0) throw new WebhookException("the request is too old or too new");
        try {
            String deadline = header.apply("outlast-deadline");
            return new Push(
                id, number(header, "outlast-claim"), Math.toIntExact(number(header, "outlast-attempt")),
                Math.toIntExact(number(header, "outlast-max-attempts")), text(header, "outlast-task-type"), text(header, "outlast-key"),
                deadline == null ? null : Wire.moment(deadline), sent, new Payload(body, Codec.json()));
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException broken) {
            throw new WebhookException("a header is not as expected: " + broken.getMessage());
        }
    }

    private static String required(Function<String, String> header, String name) throws WebhookException {
        String value = header.apply(name);
        if (value == null) throw new WebhookException("the header " + name + " is missing");
        return value;
    }

    private static long number(Function<String, String> header, String name) {
        String value = header.apply(name);
        return value == null ? 0 : Long.parseLong(value);
    }

    private static String text(Function<String, String> header, String name) {
        String value = header.apply(name);
        return value == null ? "" : URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private boolean isSigned(String id, String stamp, byte[] body, String signatures) {
        boolean good = false;
        for (byte[] secret : secrets) {
            byte[] want = signature(secret, id, stamp, body).getBytes(StandardCharsets.UTF_8);
            for (String one : signatures.split(" ")) good |= MessageDigest.isEqual(want, one.getBytes(StandardCharsets.UTF_8));
        }
        return good;
    }

    private static String signature(byte[] secret, String id, String stamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            mac.update((id + "." + stamp + ".").getBytes(StandardCharsets.UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static byte[] secret(String text) {
        try {
            byte[] secret = text.startsWith("whsec_") ? Base64.getDecoder().decode(text.substring(6)) : new byte[0];
            if (secret.length >= 24 && secret.length <= 64) return secret;
        } catch (IllegalArgumentException broken) {
            // said below
        }
        throw new IllegalArgumentException("a secret is whsec_ and 24 to 64 bytes in base64");
    }

    /** The value of Webhook-Signature, for tests of receivers. */
    public static String sign(String secret, String id, Instant at, byte[] body) {
        return signature(secret(secret), id, String.valueOf(at.getEpochSecond()), body);
    }
}
