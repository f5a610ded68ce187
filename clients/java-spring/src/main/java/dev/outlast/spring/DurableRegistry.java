package dev.outlast.spring;

import dev.outlast.Context;
import dev.outlast.GiveUp;
import dev.outlast.OutlastClient;
import dev.outlast.Payload;
import dev.outlast.Worker;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;

/** The {@link Durable} methods of all beans. */
class DurableRegistry implements BeanFactoryAware, SmartInitializingSingleton {
    private record Of(String bean, DurableMethod method) {}

    private final Map<Method, DurableMethod> methods = new ConcurrentHashMap<>();
    private final Map<String, Of> byName = new LinkedHashMap<>();
    private ConfigurableListableBeanFactory factory;

    @Override public void setBeanFactory(BeanFactory factory) {
        this.factory = (ConfigurableListableBeanFactory) factory;
    }

    DurableMethod of(Method method) {
        return methods.computeIfAbsent(method, of -> DurableMethod.of(of, factory::resolveEmbeddedValue));
    }

    @Override public void afterSingletonsInstantiated() {
        for (String bean : factory.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(factory, bean);
            if (type == null || bean.startsWith("scopedTarget.")) continue;
            MethodIntrospector.MetadataLookup<Durable> annotated = method -> AnnotationUtils.getAnnotation(method, Durable.class);
            MethodIntrospector.selectMethods(type, annotated).keySet().forEach(method -> add(bean, of(method)));
        }
    }

    private void add(String bean, DurableMethod method) {
        Of other = byName.putIfAbsent(method.name, new Of(bean, method));
        if (other == null) return;
        String what = "beans " + other.bean + " and " + bean + " have a @Durable method of the name \"" + method.name + "\": ";
        throw new IllegalStateException(what + other.method + ", " + method);
    }

    boolean isEmpty() {
        return byName.isEmpty();
    }

    /** Gives a worker a handler for each method. */
    void register(Worker.Builder worker) {
        byName.forEach((name, of) -> worker.handler(name, Payload.class, (context, payload) -> of.method.run(factory.getBean(of.bean), payload)));
        if (!byName.isEmpty()) worker.handler(DurableMethod.RELAY, Payload.class, (context, payload) -> relay(context, payload.elements()));
    }

    /** Hands the task in that was promised within a transaction, and returns its id. */
    private String relay(Context context, List<Payload> of) {
        String name = of.get(0).as(String.class);
        if (!byName.containsKey(name)) throw new GiveUp("there is no @Durable method of the name \"" + name + "\"");
        return factory.getBean(OutlastClient.class).enqueue(byName.get(name).method.relayed(context, of.get(1))).id();
    }
}
