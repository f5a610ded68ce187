package dev.outlast;

/** A part of a task's work that is done, or a signal, whose occurrence is 0 and whose type is "signal". */
public record Step(String name, int occurrence, String type, Payload result, boolean undone, Compensation compensation) {
    static Step of(Fields of) {
        return new Step(
            of.text("name"), (int) of.number("occurrence", 1), of.text("type"), of.payload("result"), of.flag("undone"),
            of.object("compensation", Compensation::of));
    }
}
