package dev.outlast;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What wakes the thread that runs a worker: somebody stops it, nothing is in hand any more, or a part has died. */
final class Alarm {
    private final LinkedBlockingQueue<Optional<RuntimeException>> events = new LinkedBlockingQueue<>();
    private final CountDownLatch broken = new CountDownLatch(1);

    void ring() {
        events.add(Optional.empty());
    }

    void fail(RuntimeException failure) {
        events.add(Optional.of(failure)); // before others fail because of it
        broken.countDown();
    }

    void breakOff() {
        broken.countDown();
    }

    /** Waits for an event; false when the time is over. A failure is thrown. An interrupt stops the worker. */
    boolean await(long nanos) {
        try {
            Optional<RuntimeException> event = events.poll(nanos, TimeUnit.NANOSECONDS);
            if (event == null) return false;
            if (event.isPresent()) throw event.get();
        } catch (InterruptedException stop) {
            // as if it was rung
        }
        return true;
    }

    void throwFailure() {
        while (await(0)) continue;
    }

    /** Waits before another try; at the end of the worker it gives up. */
    void rest(long nanos) throws InterruptedException {
        if (broken.await(nanos, TimeUnit.NANOSECONDS)) throw new Stopped(StopReason.STOPPING);
    }
}
