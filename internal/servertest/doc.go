// Package servertest gives tests databases on servers of their own: PostgreSQL and
// MariaDB, started by package servers on first use, one of each per test binary, and
// stopped at its end. Every test gets a database of its own on it, or one for its time
// from a [Shelf].
//
//	func TestMain(m *testing.M) { servertest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		pool, err := pgxpool.New(t.Context(), servertest.Postgres(t))
//
// Nothing is skipped: where a server is not installed the test fails and says how to
// install it. OUTLAST_TEST_POSTGRES and OUTLAST_TEST_MARIADB name servers to use
// instead, such as postgres://postgres@db/postgres and root@tcp(db)/ (MySQL 8 will
// do): databases named outlast_test_… are made there and dropped.
package servertest
