package dev.outlast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Interfaces whose calls are tasks. */
class DurableTest {
    record Invoice(String number) {}

    interface Invoices {
        @DurableTask(value = "invoice.send", queue = "mail", policy = "patient")
        TaskRef<String> send(Invoice invoice);

        @DurableTask("invoice.archive")
        void archive(Invoice invoice, List<Integer> pages);

        @DurableTask("invoice.sweep")
        void sweep();

        default TaskRef<String> send(String number) {
            return send(new Invoice(number));
        }
    }

    private static final class Real implements Invoices {
        private String archived = "";

        @Override public TaskRef<String> send(Invoice invoice) {
            if (invoice.number().isEmpty()) throw new IllegalArgumentException("an invoice has a number");
            return TaskRef.result("sent " + invoice.number() + " at attempt " + Context.current().attempt());
        }

        @Override public void archive(Invoice invoice, List<Integer> pages) {
            archived = invoice.number() + pages;
        }

        @Override public void sweep() {
            archived = "";
        }
    }

    private Fake fake;

    @BeforeEach void begin() throws IOException {
        fake = new Fake();
    }

    @AfterEach void end() throws IOException {
        fake.close();
    }

    @Test void calls() {
        Invoices invoices = fake.client().proxy(Invoices.class);
        TaskRef<String> ref = invoices.send("17");
        invoices.archive(new Invoice("18"), List.of(1, 2));
        invoices.sweep();
        List<Fake.Call> sent = fake.called("/v1/tasks");
        assertEquals(ref.id(), sent.get(0).body().get("id"));
        assertEquals("invoice.send {number=17} mail patient", sent.get(0).body().get("type") + " " + sent.get(0).body().get("payload") + " "
            + sent.get(0).body().get("queue") + " " + sent.get(0).body().get("policy"));
        assertEquals("[{number=18}, [1, 2]]", sent.get(1).body().get("payload").toString());
        assertEquals("[type, id, state]", sent.get(2).body().keySet().toString());
        assertTrue(invoices.equals(invoices) && !invoices.equals(fake.client().proxy(Invoices.class)));
        assertEquals("durable dev.outlast.DurableTest$Invoices", invoices.toString());
    }

    @Test void work() {
        Real real = new Real();
        String sent = fake.give("invoice.send", Map.of("number", "17")), wrong = fake.give("invoice.send", Map.of("number", ""));
        String archived = fake.give("invoice.archive", List.of(Map.of("number", "18"), List.of(1, 2))), odd = fake.give("invoice.archive", List.of(1));
        try (Worker worker = Worker.builder(fake.client()).implement(Invoices.class, real).build().start()) {
            assertTrue(worker.isRunning());
            assertEquals("sent 17 at attempt 1", fake.ending(sent).get("result"));
            assertEquals("java.lang.IllegalArgumentException", fake.error(wrong).get("type"));
            assertEquals("succeeded", fake.ending(archived).get("outcome"));
            assertEquals("18[1, 2]", real.archived);
            assertEquals("bad_payload", fake.error(odd).get("code"));
        }
    }

    interface Plain {
        void plain();
    }

    interface Waits {
        @DurableTask("waits")
        String waits();
    }

    interface Twice {
        @DurableTask("one")
        void one();

        @DurableTask("one")
        void other();
    }

    interface Empty {}

    interface Nameless {
        @DurableTask("")
        void nameless();
    }

    @Test void whatCannotBeDurable() {
        for (Class<?> type : List.of(Plain.class, Waits.class, Twice.class, Empty.class, Nameless.class, Real.class)) {
            assertThrows(IllegalArgumentException.class, () -> fake.client().proxy(type), type.getName());
        }
    }
}
