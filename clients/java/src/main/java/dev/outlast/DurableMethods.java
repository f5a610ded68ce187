package dev.outlast;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The durable methods of an interface. */
final class DurableMethods {
    private final Class<?> of;
    private final Map<Method, DurableTask> tasks = new LinkedHashMap<>();

    private DurableMethods(Class<?> of) {
        this.of = of;
    }

    /** Reads an interface. What cannot be durable is an IllegalArgumentException. */
    static DurableMethods of(Class<?> type) {
        if (!type.isInterface()) throw new IllegalArgumentException(type.getName() + " is no interface");
        DurableMethods found = new DurableMethods(type);
        Map<String, Method> types = new LinkedHashMap<>();
        for (Method method : type.getMethods()) {
            DurableTask task = method.getAnnotation(DurableTask.class);
            if (task == null && !Modifier.isAbstract(method.getModifiers())) continue;
            if (task == null) throw new IllegalArgumentException(method + " has no @DurableTask");
            if (task.value().isEmpty()) throw new IllegalArgumentException(method + " has an empty type in @DurableTask");
            if (method.getReturnType() != void.class && method.getReturnType() != TaskRef.class) {
                throw new IllegalArgumentException(method + " returns neither void nor TaskRef: its call does not wait for the result");
            }
            Method other = types.putIfAbsent(task.value(), method);
            if (other != null) throw new IllegalArgumentException(method + " and " + other + " are both of the type " + task.value());
            found.tasks.put(method, task);
        }
        if (found.tasks.isEmpty()) throw new IllegalArgumentException(type.getName() + " has no method with @DurableTask");
        return found;
    }

    <T> T proxy(Class<T> type, Function<Draft, TaskRef<?>> enqueue) {
        InvocationHandler calls = (proxy, method, arguments) -> {
            DurableTask task = tasks.get(method);
            if (task != null) {
                TaskRef<?> ref = enqueue.apply(draft(task, arguments));
                return method.getReturnType() == void.class ? null : ref;
            }
            if (method.isDefault()) return InvocationHandler.invokeDefault(proxy, method, arguments);
            return ofObject(proxy, method, arguments);
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }

    private Object ofObject(Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "durable " + of.getName();
        };
    }

    private static Draft draft(DurableTask task, Object[] arguments) {
        Draft.Builder draft = Draft.builder(task.value());
        if (arguments != null) draft.payload(arguments.length == 1 ? arguments[0] : Arrays.asList(arguments));
        if (!task.queue().isEmpty()) draft.queue(task.queue());
        if (!task.policy().isEmpty()) draft.policy(task.policy());
        return draft.build();
    }

    /** Gives a handler for each method, which calls an implementation. */
    void register(Object implementation, Worker.Builder worker) {
        tasks.forEach((method, task) -> worker.handler(task.value(), Payload.class, (context, payload) -> {
            Object result = call(method, implementation, arguments(method, payload));
            return result instanceof TaskRef<?> ref ? ref.result() : result;
        }));
    }

    private static Object[] arguments(Method method, Payload payload) {
        try {
            return payload.parameters(method.getGenericParameterTypes());
        } catch (RuntimeException failure) {
            throw TaskException.badPayload(failure);
        }
    }

    private static Object call(Method method, Object on, Object[] arguments) throws Exception {
        try {
            method.setAccessible(true);
            return method.invoke(on, arguments);
        } catch (InvocationTargetException failure) {
            if (failure.getCause() instanceof Error error) throw error;
            throw (Exception) failure.getCause();
        }
    }
}
