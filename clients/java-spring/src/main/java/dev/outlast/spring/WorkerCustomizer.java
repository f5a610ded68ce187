package dev.outlast.spring;

import dev.outlast.Worker;

/** A bean that sets what the properties do not, such as handlers of other types of tasks. */
@FunctionalInterface
public interface WorkerCustomizer {
    /** Called before the worker is made. */
    void customize(Worker.Builder worker);
}
