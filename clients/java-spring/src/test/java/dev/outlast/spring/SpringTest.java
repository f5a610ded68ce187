package dev.outlast.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.outlast.Context;
import dev.outlast.Database;
import dev.outlast.Draft;
import dev.outlast.NotFoundException;
import dev.outlast.OutlastClient;
import dev.outlast.Server;
import dev.outlast.Task;
import dev.outlast.TaskRef;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Durable methods of beans, against a real server. */
class SpringTest {
    private static final BlockingQueue<String> DONE = new LinkedBlockingQueue<>();
    private static Server server;

    record Order(String number, int cents) {}

    interface Shop {
        TaskRef<String> ship(Order order);

        void mail(Order order, List<String> to);

        TaskRef<String> inside(Order order);

        void fails(Order order);
    }

    static class RealShop implements Shop {
        @Override @Durable(name = "${shop.prefix}.ship", delay = "10ms", maxAttempts = 3, interval = "120ms", alertWhen = "attempt == 2", fallback = "shop.park") @Transactional
        public TaskRef<String> ship(Order order) {
            if (order.cents() == 0) throw new IllegalStateException("free of charge");
            boolean transaction = TransactionSynchronizationManager.isActualTransactionActive();
            return TaskRef.result(order.number() + " at attempt " + Context.current().attempt() + (transaction ? " in a transaction" : ""));
        }

        @Override @Durable(name = "shop.mail")
        public void mail(Order order, List<String> to) {
            DONE.add(order.number() + " to " + to);
        }

        @Override public TaskRef<String> inside(Order order) {
            return TaskRef.result("called at once: " + inner(order).result());
        }

        @Durable(name = "shop.inner")
        public TaskRef<String> inner(Order order) {
            return TaskRef.result(order.number());
        }

        @Override @Durable(name = "shop.fails", maxAttempts = 1, fallback = "shop.park")
        public void fails(Order order) {
            throw new IllegalArgumentException("not this one");
        }
    }

    interface Parking {
        void park(Order order);
    }

    static class RealParking implements Parking {
        @Override @Durable(name = "shop.park")
        public void park(Order order) {
            DONE.add("parked " + order.number());
        }
    }

    interface Chain {
        TaskRef<String> chain(Order order);
    }

    /** A durable method that calls one of another bean. */
    static class RealChain implements Chain {
        @Autowired private Shop shop;

        @Override @Durable(name = "shop.chain")
        public TaskRef<String> chain(Order order) {
            return TaskRef.result(shop.ship(order).id());
        }
    }

    /** As @EnableTransactionManagement does, which needs subclasses of its own classes: Debian's Spring cannot make them. */
    @EnableOutlast
    static class Application {
        @Bean static InfrastructureAdvisorAutoProxyCreator proxies() {
            return new InfrastructureAdvisorAutoProxyCreator();
        }

        @Bean @Role(BeanDefinition.ROLE_INFRASTRUCTURE) static BeanFactoryTransactionAttributeSourceAdvisor transactional(BeanFactory factory) {
            BeanFactoryTransactionAttributeSourceAdvisor advisor = new BeanFactoryTransactionAttributeSourceAdvisor();
            AnnotationTransactionAttributeSource source = new AnnotationTransactionAttributeSource();
            TransactionInterceptor interceptor = new TransactionInterceptor();
            interceptor.setTransactionAttributeSource(source);
            interceptor.setBeanFactory(factory);
            advisor.setTransactionAttributeSource(source);
            advisor.setAdvice(interceptor);
            return advisor;
        }

        @Bean Shop shop() {
            return new RealShop();
        }

        @Bean @Lazy RealParking parking() {
            return new RealParking();
        }

        @Bean Chain chain() {
            return new RealChain();
        }
    }

    static class Store {
        @Bean DataSource dataSource(org.springframework.core.env.Environment environment) {
            return new DriverManagerDataSource(environment.getProperty("jdbc"));
        }

        @Bean PlatformTransactionManager transactions(DataSource store) {
            return new DataSourceTransactionManager(store);
        }
    }

    @BeforeAll static void start() throws IOException {
        server = new Server();
    }

    @AfterAll static void stop() {
        server.close();
    }

    private static AnnotationConfigApplicationContext start(Server of, Map<String, Object> more, Class<?>... classes) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        Map<String, Object> properties = new LinkedHashMap<>(Map.of("outlast.server", of.url, "shop.prefix", "shop", "outlast.worker.lease", "20s"));
        properties.putAll(more);
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.register(classes);
        context.refresh();
        return context;
    }

    private static String take() throws InterruptedException {
        return DONE.poll(Server.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest @EnumSource
    void inATransaction(Database database) throws Exception {
        String name = "outlast_spring_" + ProcessHandle.current().pid();
        database.create(name);
        try (Server own = new Server("--store", database.store(name));
            AnnotationConfigApplicationContext context = start(own, Map.of("jdbc", database.jdbc(name)), Application.class, Store.class)) {
            Shop shop = context.getBean(Shop.class);
            OutlastClient client = context.getBean(OutlastClient.class);
            TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            String undone = transaction.execute(status -> {
                status.setRollbackOnly();
                return shop.ship(new Order("16", 1)).id();
            });
            assertThrows(NotFoundException.class, () -> client.get(undone));
            String id = transaction.execute(status -> {
                String made = shop.ship(new Order("17", 1)).id(); // by another task, since it has an alert and a fallback
                shop.mail(new Order("17", 1), List.of("a"));
                assertTrue(DONE.isEmpty());
                assertThrows(NotFoundException.class, () -> client.get(made));
                return made;
            });
            assertEquals("17 to [a]", take());
            String real = own.ends(id).result().as(String.class);
            assertEquals("17 at attempt 1 in a transaction", own.ends(real).result().as(String.class));

            String outside = shop.ship(new Order("18", 1)).id();
            assertEquals("18 at attempt 1 in a transaction", own.ends(outside).result().as(String.class));
        }
    }

    static class NoTransactions {
        @Bean PlatformTransactionManager transactions() {
            return new org.springframework.transaction.support.AbstractPlatformTransactionManager() {
                private static final long serialVersionUID = 1L;

                @Override protected Object doGetTransaction() {
                    return this;
                }

                @Override protected void doBegin(Object transaction, org.springframework.transaction.TransactionDefinition definition) {}

                @Override protected void doCommit(org.springframework.transaction.support.DefaultTransactionStatus status) {}

                @Override protected void doRollback(org.springframework.transaction.support.DefaultTransactionStatus status) {}
            };
        }
    }

    @Test void byHttp() throws Exception {
        try (AnnotationConfigApplicationContext context = start(server, Map.of("outlast.transactional", "false"), Application.class, NoTransactions.class)) {
            Shop shop = context.getBean(Shop.class);
            OutlastClient client = context.getBean(OutlastClient.class);
            assertTrue(context.getBean(DurableWorker.class).isRunning());

            shop.mail(new Order("7", 1), List.of("a", "b"));
            assertEquals("7 to [a, b]", take());
            assertEquals("called at once: 8", shop.inside(new Order("8", 1)).result());
            shop.fails(new Order("9", 1));
            assertEquals("parked 9", take());

            TaskRef<String> ref = shop.ship(new Order("10", 0));
            assertNull(ref.result());
            assertEquals("parked 10", take());
            Task dead = client.get(ref.id());
            assertEquals("DEAD 3 exhausted", dead.state() + " " + dead.attempt() + " " + dead.deadReason());
            List<Duration> waits = client.attempts(ref.id()).stream().map(dev.outlast.Attempt::nextDelay).toList();
            assertTrue(waits.subList(0, 2).stream().allMatch(wait -> wait.toMillis() == 120), waits.toString());
            String shown = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(server.url + "/v1/tasks/" + ref.id())).build(), BodyHandlers.ofString()).body();
            assertTrue(shown.contains("\"alert\":{\"when\":\"attempt == 2\"}"), shown);

            String chained = server.ends(context.getBean(Chain.class).chain(new Order("11", 1)).id()).result().as(String.class);
            assertEquals("11 at attempt 1 in a transaction", server.ends(chained).result().as(String.class));
            Task odd = server.ends(client.enqueue(Draft.of("shop.mail", "x")).id(), Task.State.DEAD);
            assertEquals("bad_payload", odd.lastError().code());
        }
    }

    @Test void withoutAWorker() {
        OutlastClient own = server.client();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", Map.of("outlast.worker.enabled", "false", "shop.prefix", "shop")));
            context.register(OutlastAutoConfiguration.class, Application.class, NoTransactions.class);
            context.getBeanFactory().registerSingleton("client", own);
            context.refresh();
            assertFalse(context.getBean(DurableWorker.class).isRunning());
            assertEquals(own, context.getBean(OutlastClient.class));
            TaskRef<String> ref = context.getBean(Shop.class).ship(new Order("12", 1));
            assertEquals("shop.ship", own.get(ref.id()).type());
            own.cancel(ref.id());
        }
    }

    static class Customized {
        @Bean WorkerCustomizer customizer() {
            return worker -> worker.queues("own").handler("plain", String.class, (context, in) -> "Hello " + in);
        }
    }

    @Test void customized() {
        OutlastClient client = server.client();
        try (AnnotationConfigApplicationContext context = start(server, Map.of("outlast.worker.queues", "default, other"), OutlastAutoConfiguration.class, Customized.class)) {
            assertTrue(context.isActive());
            Task done = client.run(Draft.builder("plain").payload("Ada").queue("default").build(), Duration.ofMillis(1));
            assertEquals(Task.State.PENDING, done.state());
            client.cancel(done.id());
        }
    }

    static class Wrong {
        @Durable(name = "waits")
        public String waits() {
            return "";
        }

        @Durable(name = "odd", delay = "soon")
        public void odd() {}

        @Durable(name = "fixed")
        public final void fixed() {}

        @Durable(name = "")
        public void nameless() {}

        @Durable(name = "never", maxAttempts = -1)
        public void never() {}
    }

    static class SecondParking {
        @Bean RealParking second() {
            return new RealParking();
        }
    }

    @Test void whatCannotBe() throws NoSuchMethodException {
        Map<String, String> wrong = Map.of(
            "waits", "neither void nor TaskRef", "odd", "is no duration", "fixed", "final", "nameless", "name is empty",
            "never", "maxAttempts");
        for (Map.Entry<String, String> one : wrong.entrySet()) {
            Method method = Wrong.class.getMethod(one.getKey());
            IllegalStateException failure = assertThrows(IllegalStateException.class, () -> DurableMethod.of(method, text -> text));
            assertTrue(failure.getMessage().contains(one.getValue()) && failure.getMessage().contains("Wrong"), failure.getMessage());
        }
        Map<String, Object> lease = Map.of("outlast.worker.lease", "soon"), none = Map.of();
        RuntimeException property = assertThrows(RuntimeException.class, () -> start(server, lease, Application.class, NoTransactions.class).close());
        assertTrue(property.toString().contains("outlast.worker.lease") && property.toString().contains("30s"), property.toString());
        RuntimeException twice = assertThrows(RuntimeException.class, () -> start(server, none, Application.class, NoTransactions.class, SecondParking.class).close());
        assertTrue(twice.toString().contains("shop.park") && twice.toString().contains("second"), twice.toString());
    }

    /** The program of the README, with the built files alone. */
    @Test void readme(@TempDir Path folder) throws Exception {
        Matcher found = Pattern.compile("```java\\R(// Shop.java\\R.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("README.md")));
        assertTrue(found.find());
        Path program = Files.writeString(folder.resolve("Shop.java"), found.group(1));
        String classPath = System.getenv("OUTLAST_CLASSPATH");
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp", classPath, "-d", folder.toString(), program.toString()));
        Process process = server.java(classPath + ":" + folder, Map.of(), "Shop");
        String said = process.inputReader().readLine();
        while (said != null && !said.startsWith("ships")) said = process.inputReader().readLine();
        assertEquals("ships 17 at attempt 1", said);
        process.destroy();
        assertEquals(143, process.waitFor());
    }

    @Test void subclassesWhereTheyAreWanted() {
        DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
        MockEnvironment environment = new MockEnvironment();
        factory.registerSingleton("environment", environment);
        DurablePostProcessor processor = new DurablePostProcessor();
        processor.setBeanFactory(factory);
        assertFalse(processor.isProxyTargetClass());
        environment.setProperty("spring.aop.proxy-target-class", "true");
        processor.setBeanFactory(factory);
        assertTrue(processor.isProxyTargetClass());
    }
}
