package dev.outlast.spring;

import dev.outlast.OutlastClient;
import dev.outlast.Worker;
import java.util.Collection;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;

/** Runs the worker: it starts after all other beans, and stops before them, with its grace time. */
public class DurableWorker implements SmartLifecycle, BeanFactoryAware {
    private ListableBeanFactory factory;
    private Worker worker;

    DurableWorker() {}

    @Override public void setBeanFactory(BeanFactory factory) {
        this.factory = (ListableBeanFactory) factory;
    }

    @Override public synchronized void start() {
        OutlastProperties properties = new OutlastProperties(factory.getBean(Environment.class));
        DurableRegistry methods = factory.getBean(DurableRegistry.class);
        Collection<WorkerCustomizer> customizers = factory.getBeansOfType(WorkerCustomizer.class).values();
        if (!properties.worker() || methods.isEmpty() && customizers.isEmpty()) return;
        Worker.Builder builder = Worker.builder(factory.getBean(OutlastClient.class));
        properties.configure(builder);
        methods.register(builder);
        customizers.forEach(one -> one.customize(builder));
        worker = builder.build().start();
    }

    @Override public synchronized void stop() {
        if (worker == null) return;
        Worker running = worker;
        worker = null;
        running.close();
    }

    @Override public void stop(Runnable then) {
        try {
            stop();
        } finally {
            then.run();
        }
    }

    /** False also when the worker has ended with an error, which is in the log: for a health check. */
    @Override public synchronized boolean isRunning() {
        return worker != null && worker.isRunning();
    }

    @Override public boolean isAutoStartup() {
        return true;
    }

    @Override public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
