package dev.outlast;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The monotonic clock, in nanoseconds, and the waits that go by it. */
class Clock {
    static final Clock SYSTEM = new Clock();

    long now() {
        return System.nanoTime();
    }

    void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }

    /** Before the next try: a share of an exponential wait, but no less than the server asks for. */
    long pause(int tries, OutlastException error) {
        double ceiling = Math.min(5, 0.1 * Math.pow(2, Math.min(tries - 1, 10)));
        long wait = (long) (share() * ceiling * 1e9);
        return error.retryAfter() == null ? wait : Math.max(wait, nanos(error.retryAfter()));
    }

    double share() {
        return ThreadLocalRandom.current().nextDouble();
    }

    static long nanos(Duration span) {
        return TimeUnit.NANOSECONDS.convert(span);
    }
}
