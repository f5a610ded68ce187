package dev.outlast;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A payload or a result, which is decoded when it is asked for. */
public final class Payload {
    private static final byte[] NULL = "null".getBytes(StandardCharsets.UTF_8);
    private final byte[] bytes;
    private final Codec codec;

    Payload(byte[] bytes, Codec codec) {
        this.bytes = bytes;
        this.codec = codec;
    }

    static Payload of(Object tree, Codec codec) {
        return new Payload(Json.write(tree, codec).getBytes(StandardCharsets.UTF_8), codec);
    }

    static Payload none(Codec codec) {
        return new Payload(NULL, codec);
    }

    /** The value of a type; null where there is no payload. */
    public <T> T as(Class<T> type) {
        @SuppressWarnings("unchecked") // of int.class, too
        T value = (T) as((Type) type);
        return value;
    }

    /** The value of a type such as {@code new TypeRef<List<Order>>() {}}. */
    public <T> T as(TypeRef<T> type) {
        @SuppressWarnings("unchecked")
        T value = (T) as(type.type());
        return value;
    }

    /** The value of a type that reflection knows. */
    public Object as(Type type) {
        return type == Payload.class ? this : codec.decode(bytes, type);
    }

    /** The values for parameters of these types: of a single one the whole payload, of several those of a list. */
    public Object[] parameters(Type... types) {
        List<Payload> parts = types.length < 2 ? List.of(this) : elements();
        if (types.length > 1 && parts.size() != types.length) throw new CodecException("the payload is no list of " + types.length);
        return IntStream.range(0, types.length).mapToObj(i -> parts.get(i).as(types[i])).toArray();
    }

    /** The values of a list. */
    public List<Payload> elements() {
        if (!(Json.read(bytes) instanceof List<?> list)) throw new CodecException("the payload is no list");
        return list.stream().map(one -> of(one, codec)).toList();
    }

    /** The bytes: JSON, unless a Go program has enqueued something else. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The JSON text. */
    public String json() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override public boolean equals(Object other) {
        return other instanceof Payload payload && Arrays.equals(bytes, payload.bytes);
    }

    @Override public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override public String toString() {
        return json();
    }
}
