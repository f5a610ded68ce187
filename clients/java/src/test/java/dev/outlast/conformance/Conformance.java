package dev.outlast.conformance;

import dev.outlast.Context;
import dev.outlast.GiveUp;
import dev.outlast.OutlastClient;
import dev.outlast.Payload;
import dev.outlast.Snooze;
import dev.outlast.Stopped;
import dev.outlast.Worker;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The worker program that clients/conformance tests. */
public final class Conformance {
    private static final String SERVER = System.getenv("OUTLAST_SERVER");

    private Conformance() {}

    public static void main(String[] arguments) {
        Worker worker = Worker.builder(OutlastClient.fromEnvironment()).concurrency(4)
            .lease(seconds("OUTLAST_KIT_LEASE")).grace(seconds("OUTLAST_KIT_GRACE"))
            .handler("echo", Payload.class, (context, in) -> {
                tell("started", context);
                return in;
            }).handler("fail", String.class, (context, in) -> {
                tell("started", context);
                throw new IllegalStateException(in);
            }).handler("reject", Payload.class, (context, in) -> {
                tell("started", context);
                throw new GiveUp("not this one");
            }).handler("snooze", Payload.class, (context, in) -> {
                tell("started", context);
                throw new Snooze(Duration.ofSeconds(5));
            }).handler("bad", Payload.class, (context, in) -> {
                tell("started", context);
                return Double.NaN;
            }).handler("slow", Payload.class, Conformance::slow).handler("steps", Payload.class, (context, in) -> {
                tell("started", context);
                return List.of(step(context, "one"), step(context, "two"));
            }).build();
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            worker.stop();
            try {
                main.join();
            } catch (InterruptedException never) {
                return;
            }
            Runtime.getRuntime().halt(failed ? 1 : 0); // a JVM that ends at a signal would say 143
        }));
        failed = true;
        worker.run();
        failed = false;
    }

    private static volatile boolean failed;

    private static Object slow(Context context, Payload in) throws IOException, InterruptedException {
        tell("started", context);
        try {
            while (!tell("working", context).equals("end")) context.pause(Duration.ofMillis(100));
            return in;
        } catch (Stopped | InterruptedException stop) {
            tell("stopped", context);
            throw stop;
        }
    }

    private static String step(Context context, String name) throws Exception {
        return context.step(name, String.class, () -> {
            tell("step-" + name, context);
            return name;
        });
    }

    private static Duration seconds(String variable) {
        return Duration.ofSeconds(Long.parseLong(System.getenv(variable)));
    }

    private static String tell(String event, Context context) throws IOException {
        URL url = new URL(SERVER + "/kit/" + event + "/" + context.id() + "/" + context.task().claim());
        HttpURLConnection call = (HttpURLConnection) url.openConnection();
        call.setRequestMethod("POST");
        call.setDoOutput(true);
        call.getOutputStream().close();
        if (call.getResponseCode() != 200) throw new IOException("the kit answers " + call.getResponseCode());
        return new String(call.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
