package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The JSON of the package. */
class CodecTest {
    enum Colour { RED, GREEN }

    record Line(String sku, int count, BigDecimal price) {}

    record Order(
            UUID id, Colour colour, List<Line> lines, Map<String, Long> totals, Optional<String> note, Instant at, Duration within, LocalDate day,
            URI link, boolean paid, double[] weights, Set<Colour> colours, Object more, Map<Colour, String> names, char mark, Integer none) {}

    record Page<T>(List<T> items, T first) {}

    private final Codec codec = Codec.json();

    /** Some languages have digits of their own. */
    @Test void durationsInAnyLanguage() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertEquals("-90.000000001s", Wire.duration(Duration.ofSeconds(90, 1).negated()));
            assertEquals("\"\\u0001\"", json("\u0001"));
        } finally {
            Locale.setDefault(before);
        }
    }

    private String json(Object value) {
        return new String(codec.encode(value), StandardCharsets.UTF_8);
    }

    private Object read(String json, java.lang.reflect.Type type) {
        return codec.decode(json.getBytes(StandardCharsets.UTF_8), type);
    }

    @Test void thereAndBack() {
        Order order = new Order(
            UUID.fromString("018df700-0000-7adb-abef-4d67835f8a24"), Colour.RED, List.of(new Line("a\"\\\n\u0001ü€😀", 2, new BigDecimal("1.10"))),
            Map.of("eur", 9007199254740993L), Optional.of("n"), Instant.parse("2030-01-01T00:00:00.123456789Z"), Duration.ofMillis(1500),
            LocalDate.of(2030, 1, 2), URI.create("http://h/p"), true, new double[] {1.5, -2}, Set.of(Colour.GREEN), Map.of("x", List.of(1, "y")),
            Map.of(Colour.RED, "rot"), 'c', null);
        Order back = (Order) read(json(order), Order.class);
        assertEquals(order.lines(), back.lines());
        assertArrayEquals(order.weights(), back.weights());
        assertEquals(Map.of("x", List.of(1L, "y")), back.more());
        assertEquals(json(order), json(back));
        assertTrue(json(order).contains("\"price\":1.10,") || json(order).contains("\"price\":1.10}"), json(order));
        assertTrue(json(order).contains("\"within\":\"PT1.5S\""), json(order));
    }

    @Test void types() {
        Page<Line> page = new Payload("{\"items\":[{\"sku\":\"a\",\"count\":1}],\"first\":null,\"later\":{}}".getBytes(StandardCharsets.UTF_8), codec)
            .as(new TypeRef<Page<Line>>() {});
        assertEquals(new Line("a", 1, null), page.items().get(0));
        assertEquals(List.of(List.of(1)), read("[[1]]", new TypeRef<List<List<Integer>>>() {}.type()));
        assertArrayEquals(new String[] {"a", null}, (String[]) read("[\"a\",null]", String[].class));
        assertEquals(Optional.empty(), read("null", Optional.class));
        assertNull(read("null", String.class));
        assertEquals(new BigInteger("123456789012345678901"), read("123456789012345678901", Object.class));
        assertEquals(new BigDecimal("1e2"), read("1e2", Object.class));
        assertEquals(100, read("1e2", int.class));
        assertEquals("\u0000/\t\ud800", read("\"\\u0000\\/\\t\\ud800\"", String.class));
    }

    @Test void wrongTypes() {
        Map<String, java.lang.reflect.Type> wrong = Map.ofEntries(
            Map.entry("1.5", int.class), Map.entry("2147483648", Integer.class), Map.entry("9223372036854775808", long.class), Map.entry("1e999999999", BigInteger.class),
            Map.entry("null", int.class), Map.entry("\"BLUE\"", Colour.class), Map.entry("\"1\"", int.class), Map.entry("[1]", Line.class),
            Map.entry("{}", List.class), Map.entry("\"soon\"", Instant.class), Map.entry("1e400", double.class), Map.entry("true", String.class),
            Map.entry("{\"count\":{}}", Line.class), Map.entry("[1,\"a\"]", int[].class));
        wrong.forEach((json, type) -> assertThrows(CodecException.class, () -> read(json, type), json));
        String message = assertThrows(CodecException.class, () -> read("{\"lines\":[{\"count\":1},{\"count\":\"x\"}]}", Order.class)).getMessage();
        assertEquals("value.lines[1].count is a text, and not of int", message);
    }

    @Test void noJson() {
        for (String json : List.of(
            "", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", "+1", "-", ".5", "1e", "nul", "NaN", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "1 2", "'a'",
            "[" .repeat(5000), "\ufeff1")) {
            assertThrows(CodecException.class, () -> Json.read(json), json);
        }
        assertThrows(CodecException.class, () -> Json.read(new byte[] {'"', (byte) 0xff, '"'}));
        assertEquals("9".repeat(5000), Json.read("9".repeat(5000)).toString());
    }

    @Test void noForm() {
        List<Object> ring = new ArrayList<>();
        ring.add(ring);
        for (Object value : Arrays.asList(Double.NaN, Float.POSITIVE_INFINITY, ring, new Object(), "\ud800", Map.of(1, 2), new java.util.concurrent.atomic.AtomicInteger())) {
            assertThrows(CodecException.class, () -> codec.encode(value));
        }
    }

    @Test void durations() {
        for (String text : List.of("0s", "1h2m3.5s", "-1m0.25s", "15ms", "1us", "3ns")) {
            Duration span = Wire.duration(text);
            assertEquals(span, Wire.duration(Wire.duration(span)), text);
        }
        assertEquals(Duration.ofMillis(3723500), Wire.duration("1h2m3.5s"));
    }
}
