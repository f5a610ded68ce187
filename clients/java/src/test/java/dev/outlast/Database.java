package dev.outlast;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An empty database of the servers that OUTLAST_TEST_POSTGRES and OUTLAST_TEST_MARIADB name. */
public enum Database {
    POSTGRES("OUTLAST_TEST_POSTGRES", "postgres://([^@/]+)@([^/?]+)/.*", "jdbc:postgresql://%2$s/%3$s?user=%1$s", "postgres://%s@%s/%s?sslmode=disable"),
    MARIADB("OUTLAST_TEST_MARIADB", "([^@]+)@tcp\\((.+)\\)/.*", "jdbc:mariadb://%2$s/%3$s?user=%1$s", "mysql://%s@%s/%s");

    private final String user, address, jdbc, store;

    Database(String variable, String form, String jdbc, String store) {
        Matcher found = Pattern.compile(form).matcher(String.valueOf(System.getenv(variable)));
        if (!found.matches()) throw new IllegalStateException(variable + " names no server: run the tests within internal/servers/with");
        this.user = found.group(1);
        this.address = found.group(2);
        this.jdbc = jdbc;
        this.store = store;
    }

    /** Makes an empty database. */
    public void create(String name) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbc(this == POSTGRES ? "postgres" : "")); Statement sql = connection.createStatement()) {
            sql.execute("DROP DATABASE IF EXISTS " + name);
            sql.execute("CREATE DATABASE " + name);
        }
    }

    public String jdbc(String name) {
        return jdbc.formatted(user, address, name);
    }

    /** For the server's flag --store. */
    public String store(String name) {
        return store.formatted(user, address, name);
    }
}
