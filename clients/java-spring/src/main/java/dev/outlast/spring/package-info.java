/** Durable methods of Spring beans, see {@link dev.outlast.spring.EnableOutlast} and {@link dev.outlast.spring.Durable}. */
package dev.outlast.spring;
