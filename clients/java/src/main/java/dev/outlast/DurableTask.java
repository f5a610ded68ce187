package dev.outlast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of an interface whose call is a task: {@link OutlastClient#proxy} hands it in, and a worker runs what {@link
 * Worker.Builder#implement} was given. A single parameter is the payload; several are a list. The method returns void or a
 * {@link TaskRef}.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface DurableTask {
    /** The type of the task. */
    String value();

    /** The queue; that of the server's default if it is empty. */
    String queue() default "";

    /** The name of the retry policy; the server decides if it is empty. */
    String policy() default "";
}
