package dev.outlast;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Calls the function of Outlast's database that hands a task in. */
final class SqlEnqueue {
    private SqlEnqueue() {}

    static TaskRef<Void> enqueue(Connection connection, Draft draft, Codec codec) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the connection commits each statement by itself: call setAutoCommit(false) first");
        }
        Map<String, Object> fields = new LinkedHashMap<>(draft.body());
        Object payload = fields.remove("payload");
        try (PreparedStatement call = connection.prepareStatement(statement(connection))) {
            call.setString(1, Json.write(fields, codec));
            call.setBytes(2, payload == null ? null : Json.write(payload, codec).getBytes(StandardCharsets.UTF_8));
            try (ResultSet row = call.executeQuery()) {
                if (!row.next()) throw new SQLException("outlast_enqueue has answered with no row");
                return TaskRef.of(row.getString("id"), row.getBoolean("existing"));
            }
        }
    }

    private static String statement(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> "SELECT id, existing FROM outlast_enqueue(?::json, ?)";
            case "MySQL", "MariaDB" -> "CALL outlast_enqueue(?, ?)";
            default -> throw new IllegalArgumentException("Outlast keeps no tasks in " + product + ": enqueue by HTTP");
        };
    }
}
