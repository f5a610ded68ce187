package dev.outlast;

/** The fate of one draft of a batch: 201 when the task is new, 200 when it was there, else the error, which is null before. */
public record BatchResult(int status, String id, OutlastException error) {
    /** Whether there is such a task now. */
    public boolean accepted() {
        return error == null;
    }

    static BatchResult of(Fields of) {
        int status = of.number("status");
        return new BatchResult(status, of.text("id"), of.object("error", error -> OutlastException.of(error, status, "", null)));
    }
}
