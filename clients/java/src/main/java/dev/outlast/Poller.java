package dev.outlast;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Asks for as many tasks as there is room for, and hands them over. */
final class Poller {
    private static final System.Logger LOG = System.getLogger("dev.outlast.worker");
    static final long LONGEST_REST = 60_000_000_000L; // whatever the server asks for

    /** Takes a task. What it does not run it ends. */
    interface Taker {
        void take(Task task, Transport.Answer answer, boolean beyond);
    }

    private final WorkerCalls calls;
    private final SocketExchange connection;
    private final Map<String, Object> body;
    private final Duration wait;
    private final Hand hand;
    private final Clock clock;
    private final Taker taker;

    Poller(WorkerCalls calls, Transport transport, Map<String, Object> body, Duration wait, Hand hand, Taker taker) {
        this.calls = calls;
        this.connection = transport.connection();
        this.body = body;
        this.wait = wait;
        this.hand = hand;
        this.clock = transport.clock;
        this.taker = taker;
    }

    /** Ends the poll under way, whose answer is still read. */
    void stop() {
        hand.stop();
        connection.cut();
    }

    boolean waits() {
        return connection.waits();
    }

    void run() throws InterruptedException {
        try {
            int failures = 0;
            for (int most = hand.takeRoom(); most > 0; most = hand.takeRoom()) {
                OutlastException failure = pollOnce(most);
                failures = failure == null ? 0 : failures + 1;
                if (failure != null) hand.restUnlessStopping(clock.now() + Math.min(clock.pause(failures, failure), LONGEST_REST), clock);
            }
        } finally {
            connection.close();
        }
        hand.polledLast();
    }

    private OutlastException pollOnce(int most) {
        int[] taken = {0};
        try {
            poll(most, taken);
            return null;
        } catch (OutlastException failure) {
            if (failure.isFinal() || failure instanceof DeniedException) throw failure;
            LOG.log(System.Logger.Level.WARNING, "the poll failed: {0}", failure.getMessage());
            return failure;
        } finally {
            hand.giveRoom(most - taken[0]);
        }
    }

    /** Counts what has taken room. */
    private void poll(int most, int[] taken) {
        Map<String, Object> asked = new LinkedHashMap<>(body);
        asked.put("max", most);
        WorkerCalls.Results polled = calls.poll(asked, wait, connection);
        for (Fields one : polled.list()) {
            Task task;
            try {
                task = Task.of(one);
            } catch (RuntimeException broken) {
                LOG.log(System.Logger.Level.ERROR, "what was polled is no task: {0}", broken.getMessage());
                continue;
            }
            taken[0]++;
            taker.take(task, polled.answer(), taken[0] > most);
        }
    }
}
