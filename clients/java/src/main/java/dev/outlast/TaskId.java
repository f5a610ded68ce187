package dev.outlast;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.UUID;

/** Ids of tasks and of groups of tasks: UUIDs of version 7. */
public final class TaskId {
    private static final SecureRandom RANDOM = new SecureRandom();

    private TaskId() {}

    /** A new id. */
    public static String create() {
        return of(System.currentTimeMillis(), RANDOM.nextLong(), RANDOM.nextLong());
    }

    /**
     * The id of a member of a group of tasks, which follows from the group and a name. Whoever enqueues the members again
     * after a crash gets the same ids, and so the same tasks.
     */
    public static String member(String group, String name) {
        UUID of = UUID.fromString(group);
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer all = ByteBuffer.allocate(24 + text.length);
        all.putLong(of.getMostSignificantBits()).putLong(of.getLeastSignificantBits()).putLong(text.length).put(text);
        try {
            ByteBuffer found = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(all.array()));
            return of(of.getMostSignificantBits() >>> 16, found.getLong(), found.getLong());
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static String of(long milliseconds, long high, long low) {
        return new UUID(milliseconds << 16 | 0x7000 | high & 0x0FFF, low & -1L >>> 2 | 1L << 63).toString();
    }
}
