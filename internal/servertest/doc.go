// Package servertest starts database servers for tests, each with a data directory
// and a port of its own, and stops them at the end of the test.
//
// Everything in it has the build tag servers, and so have the tests that use it: a
// plain go test does not run them, and a go test -tags servers fails where a server
// is not installed instead of passing without it. On Debian the packages are
// postgresql and mariadb-server.
package servertest
