package dev.outlast;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Requests of one thread over one connection, whose sending side another thread may close. The server sees then that
 * nobody waits any more and answers with what it has, which is still read. The client of the JDK cannot do that.
 */
final class SocketExchange implements Exchange {
    private static final int CONNECT_TIME = 10_000; // milliseconds
    private static final long LONGEST_IDLE = 5_000_000_000L; // before the connection is used again
    private static final int LONGEST_LINE = 1 << 16, MOST_BODY = 64 << 20;

    private final URI server;
    private final Map<String, String> headers;
    private final SSLContext tls;
    private final Clock clock;
    private Socket socket; // of TCP, also below TLS
    private Socket stream;
    private long idleSince;
    private boolean waiting, cut;

    SocketExchange(URI server, Map<String, String> headers, SSLContext tls, Clock clock) {
        this.server = server;
        this.headers = headers;
        this.tls = tls;
        this.clock = clock;
    }

    /** Ends the wait for the answer that is under way, and for those to come. */
    synchronized void cut() {
        cut = true;
        closeSending();
    }

    /** Whether a request was sent, and its answer is not there yet. */
    synchronized boolean waits() {
        return waiting;
    }

    private synchronized void waiting(boolean now) {
        waiting = now;
        closeSending();
    }

    private void closeSending() {
        if (!waiting || !cut) return;
        try {
            socket.shutdownOutput(); // of TCP: with that of TLS, some peers would not answer any more
        } catch (IOException closed) {
            // then there is nothing to end
        }
    }

    @Override public Reply send(String method, String target, byte[] body, long until) throws IOException {
        boolean keep = false;
        try {
            if (stream == null || clock.now() - idleSince > LONGEST_IDLE) connect(until);
            stream.getOutputStream().write(request(method, target, body));
            waiting(true);
            Reply reply = read(new Input(stream, until));
            keep = !cut && !"close".equalsIgnoreCase(reply.headers().get("connection"));
            idleSince = clock.now();
            return reply;
        } finally {
            waiting(false);
            if (!keep) close();
        }
    }

    private void connect(long until) throws IOException {
        close();
        boolean secure = server.getScheme().equals("https");
        int port = server.getPort() > 0 ? server.getPort() : secure ? 443 : 80;
        String host = server.getHost().replaceAll("^\\[|]$", "");
        socket = stream = new Socket();
        socket.setTcpNoDelay(true);
        int left = (int) Math.max(1, Math.min(CONNECT_TIME, (until - clock.now()) / 1_000_000));
        socket.connect(new InetSocketAddress(host, port), left);
        if (!secure) return;
        socket.setSoTimeout(left);
        SSLSocket layered = (SSLSocket) tls.getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters checks = layered.getSSLParameters();
        checks.setEndpointIdentificationAlgorithm("HTTPS");
        layered.setSSLParameters(checks);
        layered.startHandshake();
        stream = layered;
    }

    void close() {
        Socket open = stream;
        stream = null;
        if (open == null) return;
        try {
            open.close();
        } catch (IOException closed) {
            // it is not used any more
        }
    }

    private byte[] request(String method, String target, byte[] body) throws IOException {
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: " + server.getRawAuthority() + "\r\n");
        headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Type: application/json\r\nContent-Length: ").append(body.length).append("\r\n\r\n");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        all.write(body);
        return all.toByteArray();
    }

    private Reply read(Input in) throws IOException {
        String[] first;
        Map<String, String> found;
        do {
            first = in.line().split(" ", 3);
            boolean known = first.length > 1 && first[0].startsWith("HTTP/1.") && first[1].matches("[1-5][0-9][0-9]");
            if (!known) throw new IOException("the answer is no HTTP");
            found = headers(in);
        } while (first[1].startsWith("1")); // it is only a notice
        if (first[0].equals("HTTP/1.0")) found.put("connection", "close");
        int status = Integer.parseInt(first[1]);
        return new Reply(status, found, status == 204 || status == 304 ? new byte[0] : body(in, found));
    }

    private static Map<String, String> headers(Input in) throws IOException {
        Map<String, String> found = new LinkedHashMap<>();
        for (String line = in.line(); !line.isEmpty(); line = in.line()) {
            int colon = line.indexOf(':');
            if (colon < 1 || found.size() > 200) throw new IOException("the answer is no HTTP");
            found.putIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
        }
        return found;
    }

    private static byte[] body(Input in, Map<String, String> headers) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        String length = headers.get("content-length");
        if (headers.containsKey("transfer-encoding")) {
            for (long size = number(in.line(), 16); size > 0; size = number(in.line(), 16)) {
                in.copy(size, body);
                if (!in.line().isEmpty()) throw new IOException("the answer is no HTTP");
            }
            headers(in); // trailers
        } else if (length != null) {
            in.copy(number(length, 10), body);
        } else {
            headers.put("connection", "close");
            in.copyAll(body);
        }
        return body.toByteArray();
    }

    private static long number(String text, int radix) throws IOException {
        try {
            return Long.parseUnsignedLong(text.split(";", 2)[0].trim(), radix);
        } catch (NumberFormatException broken) {
            throw new IOException("the answer is no HTTP", broken);
        }
    }

    /** What comes, as long as there is time. */
    private final class Input {
        private final Socket from;
        private final InputStream in;
        private final long until;
        private final byte[] buffer = new byte[1 << 13];
        private int at, end;

        Input(Socket from, long until) throws IOException {
            this.from = from;
            this.in = from.getInputStream();
            this.until = until;
        }

        private boolean more() throws IOException {
            if (at < end) return true;
            long left = until - clock.now();
            if (left <= 0) throw new SocketTimeoutException("the answer has not come in time");
            from.setSoTimeout((int) Math.max(1, Math.min(Integer.MAX_VALUE, left / 1_000_000)));
            at = 0;
            end = in.read(buffer);
            return end > 0;
        }

        String line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (line.size() < LONGEST_LINE) {
                if (!more()) throw new EOFException("the connection was closed before the answer was there");
                if (buffer[at] == '\n') {
                    at++;
                    return line.toString(StandardCharsets.ISO_8859_1).replaceFirst("\r$", "");
                }
                line.write(buffer[at++]);
            }
            throw new IOException("a line of the answer is too long");
        }

        void copy(long size, ByteArrayOutputStream to) throws IOException {
            if (size < 0 || size > MOST_BODY - to.size()) throw new IOException("the answer is too large");
            for (long left = size; left > 0; ) {
                if (!more()) throw new EOFException("the connection was closed within the answer");
                int part = (int) Math.min(left, end - at);
                to.write(buffer, at, part);
                at += part;
                left -= part;
            }
        }

        void copyAll(ByteArrayOutputStream to) throws IOException {
            while (more()) copy(end - at, to);
        }
    }
}
