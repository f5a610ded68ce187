package dev.outlast;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a worker has in hand, and the room that is left. Its monitor guards what is held. */
final class Hand {
    private final Map<Held.Key, Held> held = new LinkedHashMap<>();
    private int room;
    private boolean stopping, polledLast, done;

    Hand(int room) {
        this.room = room;
    }

    /** Takes all room there is, as soon as there is some; 0 when the worker stops. */
    synchronized int takeRoom() throws InterruptedException {
        while (room == 0 && !stopping) wait();
        if (stopping) return 0;
        int taken = room;
        room = 0;
        return taken;
    }

    synchronized void giveRoom(int more) {
        room += more;
        notifyAll();
    }

    /** False when it is in hand already, under the same claim. */
    synchronized boolean add(Held one) {
        if (held.putIfAbsent(one.key, one) != null) return false;
        notifyAll();
        return true;
    }

    synchronized void forget(Held one) {
        held.remove(one.key, one);
        room++;
        notifyAll();
    }

    synchronized List<Held> all() {
        return List.copyOf(held.values());
    }

    synchronized boolean stopping() {
        return stopping;
    }

    synchronized void stop() {
        stopping = true;
        notifyAll();
    }

    /** Waits, unless the worker stops. */
    synchronized void restUnlessStopping(long until, Clock clock) throws InterruptedException {
        for (long left = until - clock.now(); left > 0 && !stopping; left = until - clock.now()) waitFor(left);
    }

    /** Nothing more comes. */
    synchronized void polledLast() {
        polledLast = true;
        notifyAll();
    }

    synchronized boolean isEmpty() {
        return polledLast && held.isEmpty();
    }

    synchronized void finish() {
        done = true;
        notifyAll();
    }

    synchronized boolean done() {
        return done;
    }

    /** At most so long; the caller has the monitor, and looks again. */
    void waitFor(long nanos) throws InterruptedException {
        wait(Math.max(1, nanos / 1_000_000));
    }
}
