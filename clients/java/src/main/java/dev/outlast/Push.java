package dev.outlast;

import java.time.Instant;

/**
 * A request that Outlast has made. The id is that of the task, the same at every attempt: whoever remembers it does nothing
 * twice. The claim grows with every run: of two requests the larger one is newer; it is 0 from other senders. {@code
 * maxAttempts} is 0 for no limit, the deadline null for none; {@code sentAt} is the time of the signature.
 */
public record Push(
        String id, long claim, int attempt, int maxAttempts, String type, String key, Instant deadline, Instant sentAt, Payload body) {}
