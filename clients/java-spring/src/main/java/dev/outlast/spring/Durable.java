package dev.outlast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a bean whose call from outside of the bean is a task: the call hands it in and returns at once, and a worker
 * runs the method. Where a transaction is under way, the task belongs to it. The method returns void or a {@link
 * dev.outlast.TaskRef}. A single parameter is the payload; several are a list.
 *
 * <p>All texts may have placeholders, such as <code>${mail.queue}</code>. Durations are written as 500ms, 30s, 5m, 2h or 1d.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Durable {
    /** The type of the task. Tasks that wait know their method by it, so keep it when the method is renamed. */
    String name();

    /** The queue. A worker takes tasks of the queues in {@code outlast.worker.queues}. */
    String queue() default "";

    /** The name of the retry policy; the server decides if it is empty. */
    String policy() default "";

    /** The same wait before each retry, in place of those of the policy, which still says what is retried and how often. */
    String interval() default "";

    /** How many attempts at most, the first one included; 0 leaves it to the policy. */
    int maxAttempts() default 0;

    /** The wait before the first attempt. */
    String delay() default "";

    /** A condition in CEL for an attempt that failed, such as {@code attempt == 3}: then people are told. */
    String alertWhen() default "";

    /** The type of the task that is enqueued with the same payload when this one dies, such as that of another method. */
    String fallback() default "";
}
