package dev.outlast;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Extends the leases of what is in hand, and tells handlers whose time is over. Handlers cannot starve its thread. */
final class Leases {
    private static final System.Logger LOG = System.getLogger("dev.outlast.worker");
    private static final int MOST_ITEMS = 1000; // in one call

    private final WorkerCalls calls;
    private final Duration length;
    private final long lease;
    private final Hand hand;
    private final Clock clock;

    Leases(WorkerCalls calls, Duration lease, Hand hand, Clock clock) {
        this.calls = calls;
        this.length = lease;
        this.lease = Clock.nanos(lease);
        this.hand = hand;
        this.clock = clock;
    }

    void run() throws InterruptedException {
        while (awaitLook()) {
            long now = clock.now();
            List<Held> held = hand.all();
            for (Held one : held) {
                if (one.context.ends() != null && now - one.context.ends() >= 0) one.context.stop(StopReason.TIMEOUT);
                if (now - until(one) >= 0) one.context.stop(StopReason.LEASE_LOST);
            }
            List<Held> ours = held.stream().filter(one -> !isGone(one)).limit(MOST_ITEMS).toList();
            if (ours.stream().anyMatch(one -> now - one.extendAt >= 0)) extend(ours);
        }
    }

    private long until(Held one) {
        synchronized (hand) {
            return one.oursUntil;
        }
    }

    boolean isGone(Held one) {
        synchronized (hand) {
            return one.gone;
        }
    }

    /** Waits until there is something to do; false when the worker is done. */
    private boolean awaitLook() throws InterruptedException {
        synchronized (hand) {
            while (!hand.done()) {
                long left = nextLook() - clock.now();
                if (left <= 0) return true;
                hand.waitFor(left);
            }
            return false;
        }
    }

    private long nextLook() {
        long now = clock.now();
        long left = Long.MAX_VALUE / 2;
        for (Held one : hand.all()) {
            if (!one.gone) left = Math.min(left, one.extendAt - now);
            if (one.context.stopReason() != null) continue;
            left = Math.min(left, one.oursUntil - now);
            if (one.context.ends() != null) left = Math.min(left, one.context.ends() - now);
        }
        return now + left;
    }

    private void extend(List<Held> held) {
        List<Map<String, Object>> items = held.stream().map(Leases::item).toList();
        Map<String, Object> body = Map.of("lease", Wire.duration(length), "items", items);
        try {
            WorkerCalls.Results results = calls.send("extend", body, held, length.dividedBy(3));
            for (int i = 0; i < held.size(); i++) extended(held.get(i), results.list().get(i).text("status"), results.answer());
        } catch (DeniedException refusal) {
            throw refusal;
        } catch (OutlastException failure) {
            LOG.log(System.Logger.Level.WARNING, "the leases of {0} tasks were not extended: {1}", held.size(), failure.getMessage());
            if (failure.refused()) held.forEach(one -> one.context.dropProgress()); // it can only be that
            long again = clock.now() + Math.min(Math.max(clock.pause(1, failure), lease / 30), lease / 3);
            synchronized (hand) {
                held.forEach(one -> one.extendAt = again);
            }
        }
    }

    private void extended(Held one, String status, Transport.Answer answer) {
        if (status.equals("stale_claim") || status.equals("not_found")) {
            lose(one);
            return;
        }
        synchronized (hand) {
            one.leased(answer, lease);
        }
        if (status.equals("canceled")) one.context.stop(StopReason.CANCELED);
    }

    /** It is not ours any more. */
    void lose(Held one) {
        synchronized (hand) {
            one.gone = true;
        }
        one.context.stop(StopReason.LEASE_LOST);
    }

    private static Map<String, Object> item(Held one) {
        Map<String, Object> item = new LinkedHashMap<>(Map.of("id", one.key.id(), "claim", one.key.claim()));
        Payload progress = one.context.progress();
        if (progress != null) item.put("progress", progress);
        return item;
    }
}
