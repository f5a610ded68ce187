package dev.outlast;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** An object of the server. What has another form than was promised is a CodecException. */
record Fields(Map<?, ?> values, Codec codec) {
    static Fields of(Object tree, Codec codec) {
        if (tree instanceof Map<?, ?> map) return new Fields(map, codec);
        throw new CodecException("the answer is no object");
    }

    boolean has(String name) {
        return values.get(name) != null;
    }

    private <T> T get(String name, Class<T> type, T otherwise) {
        Object value = values.get(name);
        if (value == null) return otherwise;
        if (!type.isInstance(value)) throw new CodecException(name + " is not as expected: " + value);
        return type.cast(value);
    }

    String text(String name) {
        return get(name, String.class, "");
    }

    String required(String name) {
        if (!has(name)) throw new CodecException(name + " is missing");
        return text(name);
    }

    boolean flag(String name) {
        return get(name, Boolean.class, false);
    }

    long number(String name, long otherwise) {
        try {
            return has(name) ? get(name, Json.Num.class, null).longValue() : otherwise;
        } catch (ArithmeticException broken) {
            throw new CodecException(name + " is no whole number", broken);
        }
    }

    int number(String name) {
        return Math.toIntExact(number(name, 0));
    }

    Instant moment(String name) {
        return has(name) ? Wire.moment(text(name)) : null;
    }

    Duration duration(String name) {
        return has(name) ? Wire.duration(text(name)) : null;
    }

    Payload payload(String name) {
        if (has(name + "_base64")) return new Payload(Base64.getDecoder().decode(text(name + "_base64")), codec);
        return Payload.of(values.get(name), codec);
    }

    Fields object(String name) {
        return has(name) ? of(values.get(name), codec) : null;
    }

    <T> T object(String name, Function<Fields, T> made) {
        return has(name) ? made.apply(object(name)) : null;
    }

    <T> List<T> list(String name, Function<Fields, T> made) {
        List<T> found = new ArrayList<>();
        List<?> given = get(name, List.class, List.of());
        for (Object one : given) found.add(made.apply(of(one, codec)));
        return List.copyOf(found);
    }

    Map<String, String> texts(String name) {
        Map<String, String> found = new LinkedHashMap<>();
        if (has(name)) object(name).values.forEach((key, value) -> found.put((String) key, String.valueOf(value)));
        return Map.copyOf(found);
    }
}
