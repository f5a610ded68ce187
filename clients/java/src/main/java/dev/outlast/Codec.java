package dev.outlast;

import java.lang.reflect.Type;

/**
 * Turns values of the program into JSON, and JSON into values. {@link #json()} is used where a client is given no other.
 * An implementation is safe for many threads, and throws {@link CodecException} or another exception of its own where a
 * value has no form.
 */
public interface Codec {
    /** The JSON form of a value, in UTF-8. */
    byte[] encode(Object value);

    /** The value of a type that JSON stands for. */
    Object decode(byte[] json, Type type);

    /**
     * The codec of this package, for records, maps, lists, sets, arrays, texts, numbers, booleans, enums, Optional, UUID,
     * URI and the times of java.time, which are written as ISO 8601 has them. Fields that a record does not have are
     * ignored; a number that does not fit is an error.
     */
    static Codec json() {
        return JsonCodec.INSTANCE;
    }
}
