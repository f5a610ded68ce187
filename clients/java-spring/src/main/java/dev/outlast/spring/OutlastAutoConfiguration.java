package dev.outlast.spring;

/** What Spring Boot finds by itself. */
@EnableOutlast
public class OutlastAutoConfiguration {}
