package dev.outlast;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/** Requests by the client of the JDK, which keeps connections. */
final class HttpExchange implements Exchange {
    private final HttpClient client;
    private final URI server;
    private final Map<String, String> headers;
    private final Clock clock;

    HttpExchange(URI server, Map<String, String> headers, SSLContext tls, Clock clock) {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10));
        this.client = (tls == null ? builder : builder.sslContext(tls)).build();
        this.server = server;
        this.headers = headers;
        this.clock = clock;
    }

    @Override public Reply send(String method, String target, byte[] body, long until) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(target));
        headers.forEach(request::setHeader);
        if (body != null) request.setHeader("Content-Type", "application/json");
        request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request.build(), BodyHandlers.ofByteArray());
        try {
            return reply(answer.get(until - clock.now(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof IOException lost) throw lost;
            throw new IOException(failure.getCause());
        } catch (TimeoutException late) {
            throw new IOException("the answer has not come in time", late);
        } finally {
            answer.cancel(true); // where it is not there, nobody waits for it any more
        }
    }

    private static Reply reply(HttpResponse<byte[]> answer) {
        Map<String, String> headers = new LinkedHashMap<>();
        answer.headers().map().forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.get(0)));
        return new Reply(answer.statusCode(), headers, answer.body());
    }
}
