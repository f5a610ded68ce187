package dev.outlast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Makes {@link Durable} methods tasks, and runs a worker for them. Properties of the environment say how: see {@link
 * OutlastProperties}. An {@link dev.outlast.OutlastClient} of the application is used in place of the one that is made.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(OutlastBeans.class)
public @interface EnableOutlast {}
