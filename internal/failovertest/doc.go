// Package failovertest loses the primary of a pair of PostgreSQL servers while
// nodes work on it, and lets the standby take over: with a synchronous standby
// nothing that was acknowledged may be lost.
package failovertest
