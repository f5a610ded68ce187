package dev.outlast;

import java.time.Duration;

/** A task that a worker has leased. Times are by the monotonic clock. */
final class Held {
    /** What a lease is about: a task may come again under a new claim. */
    record Key(String id, long claim) {}

    final Key key;
    final Context context;
    boolean ended; // its ending is on its way, or was told
    boolean gone; // the server says that it is not ours
    long extendAt, oursUntil, lostAt;

    Held(Key key, Context context) {
        this.key = key;
        this.context = context;
    }

    /** It is ours from before it was asked for, and certainly not ours any more so long after the answer was there. */
    void leased(Transport.Answer answer, long lease) {
        extendAt = answer.sent() + lease / 3;
        oursUntil = answer.sent() + lease;
        lostAt = answer.received() + lease;
    }

    @Override public String toString() {
        return "task " + key.id;
    }
}
