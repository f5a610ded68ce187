/** Client, worker and webhook verification for Outlast. */
module dev.outlast {
    requires java.net.http;
    requires transitive java.sql;
    exports dev.outlast;
}
