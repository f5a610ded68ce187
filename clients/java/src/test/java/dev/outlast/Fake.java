package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** Plays a server for tests, and the faults of one. */
final class Fake implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60); // only a fault takes so long

    /** What happens in place of the usual answer; null for that. */
    interface Fault {
        Reply reply(Map<String, Object> body);
    }

    /** An answer. */
    record Reply(int status, byte[] body, Map<String, String> headers) {}

    private enum Break implements Fault {
        LOST, IGNORED;

        @Override public Reply reply(Map<String, Object> body) {
            return null;
        }
    }

    /** The request is worked on, and its answer is lost. */
    static final Fault LOST = Break.LOST;
    /** The connection breaks before the request is worked on. */
    static final Fault IGNORED = Break.IGNORED;

    /** A request that came. */
    record Call(String path, Map<String, Object> body, Map<String, String> headers) {
        String at() {
            return path.split("\\?")[0];
        }
    }

    final Map<String, Deque<Fault>> faults = new HashMap<>();
    final Map<String, Fault> always = new HashMap<>();
    final Map<String, Map<String, Object>> tasks = new HashMap<>();
    final Map<String, String> statuses = new HashMap<>(); // of extensions and settlements, by task
    final List<Map<String, Object>> steps = new ArrayList<>();
    final List<Map<String, Object>> late = new ArrayList<>(); // given to a poll that nobody waits for any more
    private final List<Call> calls = new ArrayList<>();
    private final List<Map<String, Object>> due = new ArrayList<>();
    private final Map<List<Object>, Map<String, Object>> endings = new HashMap<>();
    private final List<Socket> sockets = new ArrayList<>();
    private final ServerSocket server;
    private final String scheme;
    Duration skew = Duration.ZERO; // of this server's clock
    int polling; // how many polls wait

    Fake() throws IOException {
        this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), "http");
    }

    Fake(ServerSocket server, String scheme) {
        this.server = server;
        this.scheme = scheme;
        Thread accept = new Thread(this::accept);
        accept.setDaemon(true);
        accept.start();
    }

    String url() {
        return scheme + "://127.0.0.1:" + server.getLocalPort();
    }

    OutlastClient client() {
        return client(new JumpingClock());
    }

    OutlastClient client(Clock clock) {
        return OutlastClient.builder().server(url()).token("").clock(clock).build();
    }

    @Override public synchronized void close() throws IOException {
        server.close();
        for (Socket socket : sockets) socket.close();
        notifyAll();
    }

    static Fault answer(int status, String body, String... headers) {
        Map<String, String> named = new LinkedHashMap<>();
        for (int i = 0; i < headers.length; i += 2) named.put(headers[i], headers[i + 1]);
        return request -> new Reply(status, body.getBytes(StandardCharsets.UTF_8), named);
    }

    static Fault problem(int status, String code, String... headers) {
        return answer(status, "{\"status\":" + status + ",\"code\":\"" + code + "\",\"title\":\"" + code + "\"}", headers);
    }

    synchronized void fault(String path, Fault... some) {
        faults.computeIfAbsent(path, at -> new ArrayDeque<>()).addAll(Arrays.asList(some));
    }

    synchronized void always(String path, Fault fault) {
        always.put(path, fault);
    }

    /** Makes a task due, and returns its id. */
    String give(String type, Object payload, Object... fields) {
        Map<String, Object> task = new LinkedHashMap<>(Map.of("id", TaskId.create(), "type", type, "attempt", 1, "claim", 7));
        task.put("payload", payload);
        for (int i = 0; i < fields.length; i += 2) task.put((String) fields[i], fields[i + 1]);
        synchronized (this) {
            due.add(task);
            notifyAll();
        }
        return (String) task.get("id");
    }

    /** Waits until something is so. */
    synchronized <T> T until(Supplier<T> what) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (T found = what.get(); ; found = what.get()) {
            if (found != null && !Boolean.FALSE.equals(found)) return found;
            assertTrue(System.nanoTime() < end, "it did not come so");
            pause(5);
        }
    }

    private void pause(long milliseconds) {
        try {
            wait(milliseconds);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Waits until a task has ended. */
    Map<String, Object> ending(String id) {
        return until(() -> endings.entrySet().stream().filter(one -> one.getKey().get(0).equals(id)).map(Map.Entry::getValue).findFirst().orElse(null));
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> error(String id) {
        return (Map<String, Object>) ending(id).get("error");
    }

    synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    synchronized List<Call> called(String path) {
        return calls.stream().filter(one -> one.at().equals(path)).toList();
    }

    /** What was sent to a path about a task. */
    List<Map<String, Object>> about(String path, String id) {
        return called(path).stream().flatMap(call -> items(call.body).stream()).filter(one -> id.equals(one.get("id"))).toList();
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> items(Map<String, Object> body) {
        return (List<Map<String, Object>>) body.getOrDefault("items", body.get("results"));
    }

    String after(Duration span) {
        return Instant.now().plus(skew).plus(span).toString();
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = server.accept();
                synchronized (this) {
                    sockets.add(socket);
                }
                Thread one = new Thread(() -> serve(socket));
                one.setDaemon(true);
                one.start();
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (serveOne(socket, in)) continue;
        } catch (IOException | RuntimeException broken) {
            // nobody waits for the answer
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) throw new IOException("the end");
            if (c != '\r') line.append((char) c);
        }
        return line.toString();
    }

    @SuppressWarnings("unchecked")
    private boolean serveOne(Socket socket, InputStream in) throws IOException {
        socket.setSoTimeout(0);
        String path = line(in).split(" ")[1];
        Map<String, String> headers = new HashMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            headers.put(line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT), line.substring(line.indexOf(':') + 2));
        }
        byte[] sent = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        Object tree = sent.length == 0 ? null : Json.read(sent);
        Call call = new Call(path, tree instanceof Map ? (Map<String, Object>) tree : Map.of(), headers);
        Fault fault;
        synchronized (this) {
            calls.add(call);
            Deque<Fault> some = faults.getOrDefault(call.at(), new ArrayDeque<>());
            fault = some.isEmpty() ? always.get(call.at()) : some.poll();
            notifyAll();
        }
        if (fault == IGNORED) return false;
        Reply reply = fault == null ? null : fault.reply(call.body);
        if (reply == null) reply = work(call, socket, in);
        return fault != LOST && write(socket, reply);
    }

    private static boolean write(Socket socket, Reply reply) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + reply.status + " x\r\n");
        reply.headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        head.append("Content-Length: " + reply.body.length + "\r\n\r\n");
        socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().write(reply.body);
        return !reply.headers.containsKey("Connection");
    }

    private static Reply ok(int status, Object tree) {
        return new Reply(status, Codec.json().encode(tree), Map.of());
    }

    private Reply work(Call call, Socket socket, InputStream in) throws IOException {
        Map<String, Object> body = call.body;
        if (call.at().equals("/v1/workers/poll")) return poll(body, socket, in);
        synchronized (this) {
            try {
                switch (call.at()) {
                    case "/v1/workers/extend": return results(items(body).stream().map(one -> status(one, statuses.getOrDefault(one.get("id"), "ok"))).toList());
                    case "/v1/workers/settle": return results(items(body).stream().map(this::settled).toList());
                    case "/v1/workers/steps":
                        steps.addAll(items(body));
                        return results(items(body).stream().map(one -> status(one, "ok")).toList());
                    case "/v1/tasks":
                        String id = (String) body.get("id");
                        boolean isNew = !tasks.containsKey(id);
                        body.putIfAbsent("type", "http");
                        body.put("state", "pending");
                        return ok(isNew ? 201 : 200, tasks.computeIfAbsent(id, of -> body));
                    default:
                        Object found = tasks.get(call.at().split("/")[3]);
                        return found == null ? problem(404, "not_found").reply(null) : ok(200, found);
                }
            } finally {
                notifyAll();
            }
        }
    }

    private static Reply results(List<?> results) {
        return ok(200, Map.of("results", results));
    }

    private static Map<String, Object> status(Map<String, Object> item, String status) {
        return Map.of("id", item.get("id"), "status", status);
    }

    private Map<String, Object> settled(Map<String, Object> item) {
        String status = statuses.getOrDefault(item.get("id"), "ok").replace("canceled", "ok");
        if (status.equals("ok")) {
            Map<String, Object> first = endings.putIfAbsent(List.of(item.get("id"), item.get("claim").toString()), item);
            if (first != null && !first.toString().equals(item.toString())) status = "stale_claim";
        }
        return status(item, status);
    }

    private Reply poll(Map<String, Object> body, Socket socket, InputStream in) throws IOException {
        long end = System.nanoTime() + Wire.duration((String) body.get("wait")).toNanos();
        boolean gone = false;
        synchronized (this) {
            polling++;
            while (due.isEmpty() && !gone && System.nanoTime() < end) {
                pause(2);
                gone = isGone(socket, in);
            }
            polling--;
            List<Map<String, Object>> given = new ArrayList<>(gone ? late : due.subList(0, Math.min(due.size(), ((Number) body.get("max")).intValue())));
            if (!gone) due.removeAll(given);
            Duration lease = Wire.duration((String) body.get("lease"));
            given.forEach(task -> task.putIfAbsent("lease_until", after(lease)));
            notifyAll();
            return ok(200, Map.of("tasks", given));
        }
    }

    private static boolean isGone(Socket socket, InputStream in) throws IOException {
        socket.setSoTimeout(1);
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException silent) {
            return false;
        }
    }
}
