package dev.outlast;

/** Why a handler is to stop. */
public enum StopReason {
    /** Somebody has canceled the task. */
    CANCELED,
    /** The task is not this worker's any more. */
    LEASE_LOST,
    /** The time of the attempt is over. */
    TIMEOUT,
    /** The worker stops, and its grace has passed. */
    STOPPING
}
