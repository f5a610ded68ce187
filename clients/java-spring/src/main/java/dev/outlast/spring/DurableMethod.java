package dev.outlast.spring;

import dev.outlast.Context;
import dev.outlast.Draft;
import dev.outlast.Follow;
import dev.outlast.Payload;
import dev.outlast.RetryAfter;
import dev.outlast.Steering;
import dev.outlast.TaskException;
import dev.outlast.TaskId;
import dev.outlast.TaskRef;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.StringValueResolver;

/** What a {@link Durable} method says of its tasks, and how one is handed in and run. */
final class DurableMethod {
    /** The run that a worker begins in this thread: the next call of its method is the real one. */
    private static final ThreadLocal<DurableMethod> BEGUN = new ThreadLocal<>();

    /** The type of tasks that hand others in. */
    static final String RELAY = "durable.relay";

    final String name;
    private final Method method;
    private final Draft draft;
    private final Duration interval; // null for that of the policy
    private final String queue;
    private final boolean relayed;

    private DurableMethod(Method method, Durable of, StringValueResolver texts) {
        this.method = method;
        name = texts.resolveStringValue(of.name());
        draft = draft(name, of, texts);
        String wait = texts.resolveStringValue(of.interval());
        interval = wait.isEmpty() ? null : OutlastProperties.duration(wait);
        queue = texts.resolveStringValue(of.queue());
        relayed = !of.alertWhen().isEmpty() || !of.fallback().isEmpty();
    }

    /** Reads an annotation. What cannot be is an IllegalStateException. */
    static DurableMethod of(Method method, StringValueResolver texts) {
        Durable of = method.getAnnotation(Durable.class);
        try {
            check(!of.name().isEmpty(), "name is empty");
            check(of.maxAttempts() >= 0, "maxAttempts is less than 0");
            boolean returnsNow = method.getReturnType() == void.class || method.getReturnType() == TaskRef.class;
            check(returnsNow, "it returns neither void nor TaskRef: its call does not wait for the result");
            boolean fixed = (method.getModifiers() & (Modifier.STATIC | Modifier.PRIVATE | Modifier.FINAL)) != 0;
            check(!fixed, "a call of a static, private or final method cannot be taken over");
            return new DurableMethod(method, of, texts);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalStateException("@Durable of " + method + ": " + wrong.getMessage(), wrong);
        }
    }

    private static void check(boolean good, String otherwise) {
        if (!good) throw new IllegalArgumentException(otherwise);
    }

    private static Draft draft(String name, Durable of, StringValueResolver texts) {
        Draft.Builder draft = Draft.builder(name);
        String queue = texts.resolveStringValue(of.queue()), policy = texts.resolveStringValue(of.policy());
        String alert = texts.resolveStringValue(of.alertWhen()), fallback = texts.resolveStringValue(of.fallback());
        String delay = texts.resolveStringValue(of.delay());
        if (!queue.isEmpty()) draft.queue(queue);
        if (!policy.isEmpty()) draft.policy(policy);
        if (of.maxAttempts() > 0) draft.maxAttempts(of.maxAttempts());
        if (!delay.isEmpty()) draft.delay(OutlastProperties.duration(delay));
        if (!alert.isEmpty()) draft.alert(Map.of("when", alert));
        if (!fallback.isEmpty()) draft.fallback(Follow.type(fallback));
        return draft.build();
    }

    Draft draft(Object[] arguments) {
        return arguments.length == 0 ? draft : draft.toBuilder().payload(payload(arguments)).build();
    }

    private static Object payload(Object[] arguments) {
        return arguments.length == 1 ? arguments[0] : Arrays.asList(arguments);
    }

    /** Whether its tasks have what the database does not take in a transaction: an alert or a fallback. */
    boolean isRelayed() {
        return relayed;
    }

    /** The task that belongs to the transaction and hands the real one in. */
    Draft relay(Object[] arguments) {
        Draft.Builder relay = Draft.builder(RELAY).payload(Arrays.asList(name, arguments.length == 0 ? null : payload(arguments)));
        return queue.isEmpty() ? relay.build() : relay.queue(queue).build();
    }

    /** The real one. Its id follows from that of the relay, so a repeat is the same task. */
    Draft relayed(Context relay, Payload payload) {
        return draft.toBuilder().id(TaskId.member(relay.id(), name)).payload(payload).build();
    }

    /** What the caller is given in place of a result. */
    Object answer(TaskRef<?> ref) {
        return method.getReturnType() == void.class ? null : ref;
    }

    /** Whether the call is that of the worker in this thread, and not one that hands a task in. */
    boolean isRun() {
        if (BEGUN.get() != this) return false;
        BEGUN.remove(); // what the method calls is from outside again
        return true;
    }

    /** Runs the method of a bean, with all that other advice does around it. */
    Object run(Object bean, Payload payload) throws Exception {
        Object[] arguments = arguments(payload);
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        invocable.setAccessible(true);
        BEGUN.set(this);
        try {
            Object result = invocable.invoke(bean, arguments);
            return result instanceof TaskRef<?> ref ? ref.result() : result;
        } catch (InvocationTargetException failure) {
            throw failed(failure.getCause());
        } finally {
            BEGUN.remove();
        }
    }

    private Exception failed(Throwable failure) throws Exception {
        boolean again = interval != null && Context.current().stopReason() == null && !(failure instanceof Steering);
        if (again) throw new RetryAfter(interval, null, failure);
        if (failure instanceof Error error) throw error;
        return (Exception) failure;
    }

    private Object[] arguments(Payload payload) {
        try {
            return payload.parameters(method.getGenericParameterTypes());
        } catch (RuntimeException failure) {
            String why = "the payload is not what " + method.getName() + " takes: " + failure.getMessage();
            throw new TaskException(why, "permanent", "bad_payload", failure);
        }
    }

    @Override public String toString() {
        return method.toString();
    }
}
