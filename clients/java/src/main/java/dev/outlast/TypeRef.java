package dev.outlast;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/** Names a type with its arguments: {@code new TypeRef<List<Order>>() {}}. */
public abstract class TypeRef<T> {
    private final Type type;

    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType of)) throw new IllegalStateException("write new TypeRef<List<Order>>() {}");
        type = of.getActualTypeArguments()[0];
    }

    /** The type that is named. */
    public final Type type() {
        return type;
    }
}
