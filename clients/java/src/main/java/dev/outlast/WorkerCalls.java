package dev.outlast;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The calls of a worker. None is repeated here. */
final class WorkerCalls {
    static final Duration ANSWER_TIME = Duration.ofSeconds(30); // beyond what a call waits

    private final Transport transport;
    private final Codec codec;

    /** Answers, one for each thing that was sent. */
    record Results(Transport.Answer answer, List<Fields> list) {}

    WorkerCalls(OutlastClient client) {
        transport = client.transport;
        codec = client.codec;
    }

    Results poll(Map<String, Object> body, Duration wait, SocketExchange connection) {
        Transport.Call call = Transport.Call.post("/v1/workers/poll", Json.write(body, codec)).within(wait.plus(ANSWER_TIME)).once();
        Transport.Answer answer = transport.call(call, connection);
        return new Results(answer, list(answer, "tasks"));
    }

    /** Sends something about each of what is held; an answer that does not fit is as good as none. */
    Results send(String what, Map<String, Object> body, List<Held> held, Duration timeout) {
        Transport.Answer answer = transport.call(Transport.Call.post("/v1/workers/" + what, Json.write(body, codec)).within(timeout).once());
        List<Fields> results = list(answer, "results");
        boolean fits = results.size() == held.size();
        for (int i = 0; fits && i < held.size(); i++) fits = held.get(i).key.id().equals(results.get(i).values().get("id"));
        if (!fits) throw UnavailableException.of("the answer does not fit what was sent", null);
        return new Results(answer, results);
    }

    private List<Fields> list(Transport.Answer answer, String name) {
        if (answer.data() instanceof Map<?, ?> map && map.get(name) instanceof List<?> list) {
            return list.stream().map(one -> new Fields(one instanceof Map<?, ?> of ? of : Map.of(), codec)).toList();
        }
        throw UnavailableException.of("the answer has no list of " + name, null);
    }
}
