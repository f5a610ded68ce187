package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tasks that are enqueued in the transaction of a connection. */
class SqlTest {
    interface Greeter {
        @DurableTask("greet")
        TaskRef<String> greet(String name);
    }

    @ParameterizedTest @EnumSource
    void inATransaction(Database database, @TempDir Path folder) throws Exception {
        String name = "outlast_java_" + ProcessHandle.current().pid();
        database.create(name);
        try (Server server = new Server("--store", database.store(name)); Connection connection = DriverManager.getConnection(database.jdbc(name))) {
            OutlastClient client = server.client();
            Draft draft = Draft.builder("greet").payload("Ada \u00fc").dedupeKey("ada").build();

            assertThrows(IllegalStateException.class, () -> client.enqueueIn(connection, draft));
            connection.setAutoCommit(false);
            String undone = client.enqueueIn(connection, draft).id();
            connection.rollback();
            assertThrows(NotFoundException.class, () -> client.get(undone));

            SQLException wrong = assertThrows(SQLException.class, () -> client.enqueueIn(connection, Draft.builder("greet").priority(11).build()));
            assertTrue(wrong.getMessage().contains("priority"), wrong.getMessage());
            connection.rollback();
            Greeter greeter = client.proxyIn(connection, Greeter.class);
            assertThrows(SqlEnqueueException.class, () -> client.proxyIn(connection, Greeter.class).greet("x".repeat(2 << 20)));
            connection.rollback();

            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            if (database == Database.MARIADB) assertThrows(SQLException.class, () -> client.enqueueIn(connection, draft));
            else assertFalse(client.enqueueIn(connection, draft).existing());
            connection.rollback();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);

            TaskRef<Void> first = client.enqueueIn(connection, draft), again = client.enqueueIn(connection, draft);
            assertEquals("false true " + first.id(), first.existing() + " " + again.existing() + " " + again.id());
            String other = greeter.greet("Bob").id();
            String none = client.enqueueIn(connection, Draft.builder("greet").build()).id();
            connection.commit();
            Worker.Builder worker = Worker.builder(client).handler("greet", String.class, (context, in) -> "Hello " + in);
            try (Worker running = worker.build().start()) {
                assertTrue(running.isRunning());
                assertEquals("Hello Ada \u00fc", server.ends(first.id()).result().as(String.class));
                assertEquals("Hello Bob", server.ends(other).result().as(String.class));
                assertEquals("Hello null", server.ends(none).result().as(String.class));
            }
            readme(database, server, client, connection, folder);
        }
    }

    /** The outbox of the README. */
    private static void readme(Database database, Server server, OutlastClient client, Connection connection, Path folder) throws Exception {
        try (Statement sql = connection.createStatement()) {
            sql.execute("CREATE TABLE orders (number INT)");
            connection.commit();
        }
        Path program = Files.writeString(folder.resolve("Outbox.java"), ReadmeTest.programs().get("Outbox.java"));
        String name = connection.getCatalog();
        String drivers = ReadmeTest.JAR + ":/usr/share/java/postgresql.jar:/usr/share/java/mariadb-java-client.jar";
        Process outbox = server.java(drivers, Map.of("JDBC_URL", database.jdbc(name)), program.toString());
        String id = ReadmeTest.output(outbox).strip();
        assertEquals(0, outbox.waitFor(), id);
        assertEquals("greet", client.await(id, Duration.ZERO).type());
    }

    @Test void anotherDatabase() {
        DatabaseMetaData names = (DatabaseMetaData) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {DatabaseMetaData.class}, (proxy, method, arguments) -> "Oracle");
        Connection connection = (Connection) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> method.getName().equals("getMetaData") ? names : false);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> OutlastClient.builder().token("").build().enqueueIn(connection, Draft.of("greet", 1)));
        assertTrue(refused.getMessage().contains("Oracle"));
    }
}
