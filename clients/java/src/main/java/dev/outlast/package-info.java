/**
 * Client, worker and webhook verification for Outlast, a durable retry engine. Begin with {@link dev.outlast.OutlastClient}
 * and {@link dev.outlast.Worker}.
 */
package dev.outlast;
