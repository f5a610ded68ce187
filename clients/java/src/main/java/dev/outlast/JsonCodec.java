package dev.outlast;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** What {@link Codec#json()} says. */
final class JsonCodec implements Codec {
    static final JsonCodec INSTANCE = new JsonCodec();
    private static final int DEEPEST = 200;

    /** What is written as a text, by toString. */
    private static final Map<Class<?>, Function<String, Object>> TEXTS = Map.ofEntries(
        Map.entry(String.class, text -> text), Map.entry(UUID.class, UUID::fromString), Map.entry(URI.class, URI::create),
        Map.entry(Instant.class, Instant::parse), Map.entry(Duration.class, Duration::parse),
        Map.entry(LocalDate.class, LocalDate::parse), Map.entry(LocalTime.class, LocalTime::parse),
        Map.entry(LocalDateTime.class, LocalDateTime::parse), Map.entry(OffsetDateTime.class, OffsetDateTime::parse),
        Map.entry(ZonedDateTime.class, ZonedDateTime::parse));

    private static final Map<Class<?>, Function<Json.Num, Object>> NUMBERS = Map.of(
        int.class, Json.Num::intValue, long.class, Json.Num::longValue, short.class, number -> number.exact().shortValueExact(),
        byte.class, number -> number.exact().byteValueExact(), double.class, number -> finite(number.doubleValue()),
        float.class, number -> (float) finite(number.floatValue()), BigDecimal.class, Json.Num::exact,
        BigInteger.class, number -> number.exact().toBigIntegerExact(), Number.class, Json.Num::plain);

    private static final Map<Class<?>, Class<?>> PRIMITIVES = Map.of(
        Integer.class, int.class, Long.class, long.class, Short.class, short.class, Byte.class, byte.class,
        Double.class, double.class, Float.class, float.class, Boolean.class, boolean.class, Character.class, char.class);

    @Override public byte[] encode(Object value) {
        return Json.write(tree(value, 0), this).getBytes(StandardCharsets.UTF_8);
    }

    private static Object tree(Object value, int depth) {
        if (depth > DEEPEST) throw new CodecException("the value is nested too deeply, or holds itself");
        if (value == null || value instanceof Boolean || value instanceof Payload) return value;
        if (value instanceof String text) return sound(text);
        if (value instanceof Character character) return sound(character.toString());
        if (value instanceof Number number) return number(number);
        if (value instanceof Enum<?> constant) return constant.name();
        if (value instanceof Optional<?> optional) return tree(optional.orElse(null), depth);
        if (value instanceof Record made) return ofRecord(made, depth);
        if (value instanceof Map<?, ?> map) return ofMap(map, depth);
        if (value instanceof Collection<?> list) return ofAll(list, depth);
        if (value instanceof Object[] array) return ofAll(Arrays.asList(array), depth);
        if (value.getClass().isArray()) return ofArray(value, depth);
        if (TEXTS.containsKey(value.getClass())) return value.toString();
        throw new CodecException(value.getClass().getName() + " has no JSON form: use a record, or give the client a codec of your own");
    }

    private static String sound(String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) throw new CodecException("a text with half of a surrogate pair");
        return text;
    }

    private static Number number(Number value) {
        if (value instanceof Double || value instanceof Float) finite(value.doubleValue());
        else if (!NUMBERS.containsKey(PRIMITIVES.getOrDefault(value.getClass(), value.getClass())) && !(value instanceof Json.Num)) {
            throw new CodecException(value.getClass().getName() + " has no JSON form");
        }
        return value;
    }

    private static double finite(double value) {
        if (!Double.isFinite(value)) throw new CodecException(value + " has no JSON form");
        return value;
    }

    private static List<Object> ofAll(Iterable<?> values, int depth) {
        List<Object> made = new ArrayList<>();
        for (Object value : values) made.add(tree(value, depth + 1));
        return made;
    }

    private static List<Object> ofArray(Object array, int depth) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) values.add(Array.get(array, i));
        return ofAll(values, depth);
    }

    private static Map<String, Object> ofMap(Map<?, ?> map, int depth) {
        Map<String, Object> made = new LinkedHashMap<>();
        map.forEach((name, value) -> made.put(name(name), tree(value, depth + 1)));
        return made;
    }

    private static String name(Object name) {
        if (tree(name, 0) instanceof String text) return text;
        throw new CodecException("a name in a map is a text, and not " + name);
    }

    private static Map<String, Object> ofRecord(Record value, int depth) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (RecordComponent part : value.getClass().getRecordComponents()) {
            made.put(part.getName(), tree(reflected(() -> {
                part.getAccessor().setAccessible(true);
                return part.getAccessor().invoke(value);
            }), depth + 1));
        }
        return made;
    }

    private interface Reflection {
        Object call() throws ReflectiveOperationException;
    }

    private static Object reflected(Reflection call) {
        try {
            return call.call();
        } catch (InvocationTargetException failure) {
            if (failure.getCause() instanceof Error error) throw error;
            throw new CodecException(String.valueOf(failure.getCause().getMessage()), failure.getCause());
        } catch (ReflectiveOperationException | RuntimeException failure) {
            throw new CodecException(failure.getMessage(), failure);
        }
    }

    @Override public Object decode(byte[] json, Type type) {
        return value(Json.read(json), type, "value");
    }

    private static Object value(Object tree, Type type, String path) {
        try {
            return typed(tree, type, path);
        } catch (CodecException failure) {
            throw failure;
        } catch (RuntimeException failure) {
            throw new CodecException(path + ": " + failure.getMessage(), failure);
        }
    }

    private static Object typed(Object tree, Type type, String path) {
        Class<?> raw = raw(type);
        if (raw == Optional.class) return Optional.ofNullable(value(tree, argument(type, 0), path));
        if (raw == Payload.class) return new Payload(Json.write(tree, INSTANCE).getBytes(StandardCharsets.UTF_8), INSTANCE);
        if (tree == null) return absent(raw, path);
        Class<?> wanted = PRIMITIVES.getOrDefault(raw, raw);
        if (raw == Object.class) return plain(tree);
        if (tree instanceof Boolean && wanted == boolean.class) return tree;
        if (tree instanceof Json.Num number && NUMBERS.containsKey(wanted)) return NUMBERS.get(wanted).apply(number);
        if (tree instanceof String text) return ofText(text, wanted, path);
        if (tree instanceof List<?> list) return ofList(list, type, raw, path);
        if (tree instanceof Map<?, ?> map && raw.isRecord()) return ofObject(map, type, raw, path);
        if (tree instanceof Map<?, ?> map && raw.isAssignableFrom(LinkedHashMap.class)) return ofMap(map, type, path);
        throw mismatch(tree, raw, path);
    }

    private static CodecException mismatch(Object tree, Class<?> wanted, String path) {
        String found = tree instanceof Map ? "an object" : tree instanceof List ? "a list" : tree instanceof String ? "a text" : tree.toString();
        return new CodecException(path + " is " + found + ", and not of " + wanted.getName());
    }

    private static Object absent(Class<?> raw, String path) {
        if (raw.isPrimitive()) throw new CodecException(path + " is missing");
        return null;
    }

    private static Object plain(Object tree) {
        if (tree instanceof Json.Num number) return number.plain();
        if (tree instanceof List<?> list) return ofList(list, List.class, List.class, "value");
        return tree instanceof Map<?, ?> map ? ofMap(map, Map.class, "value") : tree;
    }

    private static Object ofText(String text, Class<?> wanted, String path) {
        if (wanted.isEnum()) {
            for (Object constant : wanted.getEnumConstants()) if (((Enum<?>) constant).name().equals(text)) return constant;
            throw new CodecException(path + ": \"" + text + "\" is none of " + List.of(wanted.getEnumConstants()));
        }
        if (wanted == char.class && text.length() == 1) return text.charAt(0);
        if (wanted == CharSequence.class) return text;
        Function<String, Object> parse = TEXTS.get(wanted);
        if (parse == null) throw mismatch(text, wanted, path);
        return parse.apply(text);
    }

    private static Object ofList(List<?> list, Type type, Class<?> raw, String path) {
        Type of = raw.isArray() ? component(type) : argument(type, 0);
        List<Object> made = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) made.add(value(list.get(i), of, path + "[" + i + "]"));
        if (raw.isAssignableFrom(ArrayList.class)) return made;
        if (raw.isAssignableFrom(LinkedHashSet.class)) return new LinkedHashSet<>(made);
        if (!raw.isArray()) throw mismatch(list, raw, path);
        Object array = Array.newInstance(raw.getComponentType(), made.size());
        for (int i = 0; i < made.size(); i++) Array.set(array, i, made.get(i));
        return array;
    }

    private static Map<Object, Object> ofMap(Map<?, ?> map, Type type, String path) {
        Map<Object, Object> made = new LinkedHashMap<>();
        Class<?> names = raw(argument(type, 0));
        map.forEach((name, value) -> made.put(
            names == Object.class ? name : ofText((String) name, names, path), value(value, argument(type, 1), path + "." + name)));
        return made;
    }

    private static Object ofObject(Map<?, ?> map, Type type, Class<?> raw, String path) {
        RecordComponent[] parts = raw.getRecordComponents();
        Class<?>[] types = new Class<?>[parts.length];
        Object[] values = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            types[i] = parts[i].getType();
            String name = parts[i].getName();
            values[i] = value(map.get(name), resolved(parts[i].getGenericType(), type, raw), path + "." + name);
        }
        return reflected(() -> {
            Constructor<?> constructor = raw.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        });
    }

    /** A type with the type variables of a record replaced by what they stand for. */
    private static Type resolved(Type type, Type of, Class<?> raw) {
        List<TypeVariable<?>> variables = List.<TypeVariable<?>>of(raw.getTypeParameters());
        if (variables.contains(type)) return argument(of, variables.indexOf(type));
        if (!(type instanceof ParameterizedType generic) || variables.isEmpty()) return type;
        Type[] arguments = generic.getActualTypeArguments();
        return new Applied(generic.getRawType(), Arrays.stream(arguments).map(one -> resolved(one, of, raw)).toArray(Type[]::new));
    }

    private record Applied(Type getRawType, Type[] getActualTypeArguments) implements ParameterizedType {
        @Override public Type getOwnerType() {
            return null;
        }
    }

    private static Type component(Type type) {
        return type instanceof GenericArrayType array ? array.getGenericComponentType() : raw(type).getComponentType();
    }

    private static Type argument(Type type, int index) {
        return type instanceof ParameterizedType of ? of.getActualTypeArguments()[index] : Object.class;
    }

    private static Class<?> raw(Type type) {
        if (type instanceof Class<?> found) return found;
        if (type instanceof ParameterizedType of) return raw(of.getRawType());
        if (type instanceof GenericArrayType array) return Array.newInstance(raw(array.getGenericComponentType()), 0).getClass();
        if (type instanceof WildcardType any) return raw(any.getUpperBounds()[0]);
        return Object.class;
    }
}
