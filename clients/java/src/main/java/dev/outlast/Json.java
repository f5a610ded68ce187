package dev.outlast;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads JSON as RFC 8259 has it, into null, Boolean, Json.Num, String, List and Map, and writes it again. */
final class Json {
    private static final int DEEPEST = 1000;

    /** A number as it is written, so that nothing of it is lost. */
    static final class Num extends Number {
        private static final long serialVersionUID = 1L;
        private static final int MOST_DIGITS = 1000;
        private final String text;

        Num(String text) {
            this.text = text;
        }

        BigDecimal exact() {
            if (text.length() > MOST_DIGITS) throw new CodecException("a number of " + text.length() + " characters");
            BigDecimal exact = new BigDecimal(text);
            if (Math.abs((long) exact.scale()) > MOST_DIGITS) throw new CodecException(text + " is too large or too small");
            return exact;
        }

        /** A Long where one can hold it, else a BigInteger or a BigDecimal. */
        Number plain() {
            BigDecimal exact = exact();
            if (text.chars().anyMatch(c -> c == '.' || c == 'e' || c == 'E')) return exact;
            BigInteger whole = exact.toBigInteger();
            return whole.bitLength() < 64 ? (Number) whole.longValue() : whole;
        }

        @Override public int intValue() {
            return exact().intValueExact();
        }

        @Override public long longValue() {
            return exact().longValueExact();
        }

        @Override public float floatValue() {
            return Float.parseFloat(text);
        }

        @Override public double doubleValue() {
            return Double.parseDouble(text);
        }

        @Override public String toString() {
            return text;
        }
    }

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(byte[] json) {
        try {
            return read(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString());
        } catch (CharacterCodingException broken) {
            throw new CodecException("it is no UTF-8", broken);
        }
    }

    static Object read(String json) {
        Json reader = new Json(json);
        Object value = reader.value(0);
        reader.space();
        if (reader.at < json.length()) throw reader.wrong("more than one value");
        return value;
    }

    private CodecException wrong(String what) {
        return new CodecException("it is no JSON: " + what + " at character " + at);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private boolean skip(char c) {
        space();
        if (at >= text.length() || text.charAt(at) != c) return false;
        at++;
        return true;
    }

    private void want(char c) {
        if (!skip(c)) throw wrong("'" + c + "' is missing");
    }

    private Object value(int depth) {
        if (depth > DEEPEST) throw wrong("nested too deeply");
        space();
        if (at >= text.length()) throw wrong("the end");
        switch (text.charAt(at)) {
            case '{': return object(depth);
            case '[': return array(depth);
            case '"': return string();
            case 't': return word("true", true);
            case 'f': return word("false", false);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw wrong("an unknown word");
        at += word.length();
        return value;
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> found = new LinkedHashMap<>();
        want('{');
        if (skip('}')) return found;
        do {
            space();
            String name = string();
            want(':');
            found.put(name, value(depth + 1));
        } while (skip(','));
        want('}');
        return found;
    }

    private List<Object> array(int depth) {
        List<Object> found = new ArrayList<>();
        want('[');
        if (skip(']')) return found;
        do {
            found.add(value(depth + 1));
        } while (skip(','));
        want(']');
        return found;
    }

    private String string() {
        if (at >= text.length() || text.charAt(at) != '"') throw wrong("'\"' is missing");
        StringBuilder found = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return found.toString();
            }
            if (c < ' ') throw wrong("a control character");
            found.append(c == '\\' ? escaped() : c);
        }
        throw wrong("a text without an end");
    }

    private char escaped() {
        int which = ++at < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(at)) : -1;
        if (which < 0) throw wrong("an unknown escape");
        return which < 8 ? "\"\\/\b\f\n\r\t".charAt(which) : unicode();
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = ++at < text.length() && text.charAt(at) < 128 ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0) throw wrong("an unknown escape");
            code = code << 4 | digit;
        }
        return (char) code;
    }

    private Num number() {
        int from = at;
        if (at < text.length() && text.charAt(at) == '-') at++;
        int first = at;
        digits();
        if (text.charAt(first) == '0' && at > first + 1) throw wrong("a number that begins with 0");
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            digits();
        }
        if (at < text.length() && (text.charAt(at) | 0x20) == 'e') {
            at++;
            if (at < text.length() && "+-".indexOf(text.charAt(at)) >= 0) at++;
            digits();
        }
        return new Num(text.substring(from, at));
    }

    private void digits() {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
        if (at == from) throw wrong("a digit is missing");
    }

    /** The JSON form of what {@link #read} gives, of plain values, and of those that the codec knows. */
    static String write(Object tree, Codec codec) {
        StringBuilder out = new StringBuilder();
        write(out, tree, codec);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value, Codec codec) {
        if (value == null || value instanceof Boolean || value instanceof Number) out.append(value);
        else if (value instanceof String text) quote(out, text);
        else if (value instanceof Payload payload) out.append(payload.json());
        else if (value instanceof Encoded of) out.append(of.json(codec));
        else if (value instanceof List<?> list) writeAll(out, list, codec);
        else if (value instanceof Map<?, ?> map) writeAll(out, map, codec);
        else throw new IllegalStateException("cannot be written: " + value.getClass());
    }

    /** A value of the program, which is written by the codec; a payload is written as it is. */
    record Encoded(Object value) {
        private String json(Codec codec) {
            return value instanceof Payload payload ? payload.json() : new String(codec.encode(value), StandardCharsets.UTF_8);
        }
    }

    private static void writeAll(StringBuilder out, List<?> list, Codec codec) {
        String before = "[";
        for (Object one : list) {
            out.append(before);
            write(out, one, codec);
            before = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
    }

    private static void writeAll(StringBuilder out, Map<?, ?> map, Codec codec) {
        String before = "{";
        for (Map.Entry<?, ?> one : map.entrySet()) {
            out.append(before);
            quote(out, (String) one.getKey());
            out.append(':');
            write(out, one.getValue(), codec);
            before = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ' || alone(text, i)) out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }

    /** Whether the character is half of a pair without the other half, which UTF-8 cannot hold. */
    private static boolean alone(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
