package dev.outlast;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A worker process for tests: Program NAME LEASE. */
final class Program {
    private Program() {}

    public static void main(String[] arguments) {
        Worker.builder(OutlastClient.fromEnvironment()).name(arguments[0]).lease(Duration.parse(arguments[1]))
            .handler("until", String.class, Program::until).build().runUntilShutdown();
    }

    /** Works until there is a file. */
    private static String until(Context context, String file) throws Exception {
        long process = context.step("begin", Long.class, () -> ProcessHandle.current().pid());
        while (!Files.exists(Path.of(file))) context.pause(Duration.ofMillis(10));
        return "begun by " + process;
    }
}
