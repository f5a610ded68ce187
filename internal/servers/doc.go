// Package servers starts database servers of its own: PostgreSQL, MariaDB and
// Redis, and PgBouncer before a PostgreSQL, each with a data directory and a port that nobody else has, as an
// unprivileged user where the caller is root, and removes all of it again.
//
// It knows nothing of tests, so that benchmarks can use it; package servertest
// is the door for tests. A server is [Fast] unless told otherwise: what it has
// committed survives the end of its process, in any way, but not a power cut.
// [Durable] gives the server's own defaults.
//
// A small shell per server waits for the end of the process that started it, and
// then ends the server and removes its directory. So nothing stays behind a panic,
// an interrupt or kill -9.
//
// The programs must be installed: see [Missing].
package servers
