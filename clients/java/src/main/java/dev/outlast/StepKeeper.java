package dev.outlast;

import java.util.List;
import java.util.Map;

/** Keeps steps, again and again until the answer is there or the lease is certainly lost. */
final class StepKeeper {
    private static final System.Logger LOG = System.getLogger("dev.outlast.worker");

    private final WorkerCalls calls;
    private final Leases leases;
    private final Hand hand;
    private final Clock clock;
    private final Alarm alarm;

    StepKeeper(WorkerCalls calls, Leases leases, Hand hand, Clock clock, Alarm alarm) {
        this.calls = calls;
        this.leases = leases;
        this.hand = hand;
        this.clock = clock;
        this.alarm = alarm;
    }

    private enum Outcome { KEPT, LOST, UNKNOWN }

    /** Returns when the step is on disk. An interrupt of the handler does not keep it from that. */
    void keep(Held held, Map<String, Object> item) {
        boolean interrupted = false;
        try {
            Outcome outcome = Outcome.UNKNOWN;
            for (int tries = 1; outcome == Outcome.UNKNOWN && isOurs(held); tries++) {
                interrupted |= Thread.interrupted();
                outcome = keepOnce(held, item, tries);
            }
            if (outcome == Outcome.KEPT) return;
            leases.lose(held);
            throw new Stopped(StopReason.LEASE_LOST);
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    private boolean isOurs(Held held) {
        synchronized (hand) {
            return !held.gone && clock.now() - held.lostAt < 0;
        }
    }

    private Outcome keepOnce(Held held, Map<String, Object> item, int tries) {
        Object name = item.get("name");
        try {
            Fields result = calls.send("steps", Map.of("items", List.of(item)), List.of(held), WorkerCalls.ANSWER_TIME).list().get(0);
            if (!result.text("status").equals("error")) return result.text("status").equals("ok") ? Outcome.KEPT : Outcome.LOST;
            Fields error = result.object("error");
            throw TaskException.badStep("step \"" + name + "\" is not kept: " + (error == null ? "" : error.text("detail")));
        } catch (DeniedException refusal) {
            alarm.fail(refusal);
            throw refusal;
        } catch (OutlastException failure) {
            if (failure.refused()) throw TaskException.badResult("the server refuses the step \"" + name + "\": " + failure.getMessage());
            LOG.log(System.Logger.Level.WARNING, "step {0} of {1} is not kept yet: {2}", name, held, failure.getMessage());
            rest(clock.pause(tries, failure));
            return Outcome.UNKNOWN;
        }
    }

    private void rest(long nanos) {
        try {
            alarm.rest(Math.min(nanos, Poller.LONGEST_REST));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // the next try remembers it
        }
    }
}
