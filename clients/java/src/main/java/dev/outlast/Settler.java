package dev.outlast;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/** Tells the server how attempts ended, several at a time. */
final class Settler {
    private static final System.Logger LOG = System.getLogger("dev.outlast.worker");
    private static final int MOST_SETTLED = 100; // in one call

    /** An attempt that has ended; without one, no more will come. */
    private record Ended(Held held, Ending ending) {}

    private final WorkerCalls calls;
    private final Hand hand;
    private final Clock clock;
    private final Alarm alarm;
    private final LinkedBlockingQueue<Ended> ended = new LinkedBlockingQueue<>();

    Settler(WorkerCalls calls, Hand hand, Clock clock, Alarm alarm) {
        this.calls = calls;
        this.hand = hand;
        this.clock = clock;
        this.alarm = alarm;
    }

    void add(Held held, Ending ending) {
        ended.add(new Ended(held, ending));
    }

    /** Ends when all are told that were added by now. */
    void close() {
        ended.add(new Ended(null, null));
    }

    int waiting() {
        return ended.size();
    }

    void run() throws InterruptedException {
        for (boolean more = true; more; ) {
            List<Ended> batch = new ArrayList<>(List.of(ended.take()));
            ended.drainTo(batch, MOST_SETTLED - 1);
            more = !batch.removeIf(one -> one.held == null);
            tell(batch);
        }
    }

    /** Tells the server. Of what it refuses, only the attempt that is wrong fails. */
    private void tell(List<Ended> batch) throws InterruptedException {
        Deque<List<Ended>> groups = new ArrayDeque<>();
        groups.push(batch);
        while (!groups.isEmpty()) {
            List<Ended> group = groups.pop();
            OutlastException refusal = settle(group);
            int half = group.size() / 2;
            if (refusal == null) continue;
            if (half > 0) {
                groups.push(group.subList(half, group.size()));
                groups.push(group.subList(0, half));
            } else if (!group.get(0).ending.isBadResult()) {
                groups.push(List.of(unsendable(group.get(0), refusal)));
            } else {
                LOG.log(System.Logger.Level.ERROR, "{0} runs again when its lease has ended: {1}", group.get(0).held, refusal.getMessage());
                forget(group.get(0));
            }
        }
    }

    private static Ended unsendable(Ended one, OutlastException refusal) {
        String why = "the server refuses how the attempt ended (" + one.ending.outcome() + "): " + refusal.getMessage();
        return new Ended(one.held, Ending.failed(TaskException.badResult(why)));
    }

    /** Sends endings until the server has heard, or nothing is ours any more. Returns its refusal. */
    private OutlastException settle(List<Ended> all) throws InterruptedException {
        for (int tries = 1; ; tries++) {
            List<Ended> group = all.stream().filter(one -> !dropLost(one)).toList();
            if (group.isEmpty()) return null;
            List<Map<String, Object>> results = group.stream().map(one -> one.ending.body(one.held.key)).toList();
            try {
                List<Held> held = group.stream().map(Ended::held).toList();
                List<Fields> answers = calls.send("settle", Map.of("results", results), held, WorkerCalls.ANSWER_TIME).list();
                for (int i = 0; i < group.size(); i++) told(group.get(i), answers.get(i).text("status"));
                return null;
            } catch (DeniedException refusal) {
                throw refusal;
            } catch (OutlastException failure) {
                if (failure.refused()) return failure;
                LOG.log(System.Logger.Level.WARNING, "the ends of {0} tasks were not taken: {1}", group.size(), failure.getMessage());
                alarm.rest(Math.min(clock.pause(tries, failure), Poller.LONGEST_REST));
                all = group;
            }
        }
    }

    private void told(Ended one, String status) {
        if (!status.equals("ok")) LOG.log(System.Logger.Level.WARNING, "{0}: its ending is refused: {1}", one.held, status);
        forget(one);
    }

    private boolean dropLost(Ended one) {
        synchronized (hand) {
            if (clock.now() - one.held.lostAt < 0) return false;
        }
        LOG.log(System.Logger.Level.ERROR, "{0} runs again: its lease has ended untold ({1})", one.held, one.ending.outcome());
        forget(one);
        return true;
    }

    private void forget(Ended one) {
        hand.forget(one.held);
        if (hand.stopping()) alarm.ring();
    }
}
