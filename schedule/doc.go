// Package schedule says when recurring tasks are due: times of cron
// expressions in time zones, of intervals, and single ones.
package schedule
