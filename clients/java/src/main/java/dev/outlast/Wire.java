package dev.outlast;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How times and durations are written in the HTTP API. */
final class Wire {
    private static final Pattern PART = Pattern.compile("([0-9.]+)(ns|us|µs|ms|s|m|h)");
    private static final Map<String, Double> NANOS =
        Map.of("ns", 1d, "us", 1e3, "µs", 1e3, "ms", 1e6, "s", 1e9, "m", 6e10, "h", 3.6e12);

    private Wire() {}

    static String duration(Duration span) {
        return span.isNegative() ? "-" + duration(span.negated()) : String.format(Locale.ROOT, "%d.%09ds", span.getSeconds(), span.getNano());
    }

    static Duration duration(String text) {
        double nanos = 0;
        Matcher part = PART.matcher(text);
        while (part.find()) nanos += Double.parseDouble(part.group(1)) * NANOS.get(part.group(2));
        return Duration.ofNanos(Math.round(text.startsWith("-") ? -nanos : nanos));
    }

    static Instant moment(String text) {
        return OffsetDateTime.parse(text).toInstant();
    }

    /** A text as the server takes it, without NUL and halves of surrogate pairs. */
    static String sendable(String text) {
        StringBuilder made = new StringBuilder();
        text.codePoints().map(c -> c == 0 || c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c).forEach(made::appendCodePoint);
        return made.toString();
    }
}
