package dev.outlast;

import java.io.IOException;
import java.util.Map;

/** One request and its answer. */
interface Exchange {
    /** The names of the headers are in lower case. */
    record Reply(int status, Map<String, String> headers, byte[] body) {}

    /** Sends a request, and returns what has come by then. The body is null where there is none. */
    Reply send(String method, String target, byte[] body, long until) throws IOException, InterruptedException;
}
