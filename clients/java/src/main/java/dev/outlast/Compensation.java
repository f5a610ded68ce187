package dev.outlast;

/** The task that undoes a step if the step's own task dies. */
public record Compensation(String type, Object payload) {
    /** One without a payload. */
    public Compensation(String type) {
        this(type, null);
    }

    static Compensation of(Fields of) {
        return new Compensation(of.text("type"), of.payload("payload"));
    }
}
