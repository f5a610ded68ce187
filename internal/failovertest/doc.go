// Package failovertest is about what operators do to a running cluster. It
// migrates the database under it, and it loses the primary of a pair of PostgreSQL servers while
// nodes work on it, and lets the standby take over: with a synchronous standby
// nothing that was acknowledged may be lost.
package failovertest
