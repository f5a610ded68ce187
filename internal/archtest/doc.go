// Package archtest holds tests of the source tree itself: which package may
// import which and why, that every package says what it is, and budgets for
// the size of files, functions and interfaces. It has no code of its own.
//
// A failure says what to do. Usually that is to change the code; if the rule
// is wrong, change the table in table_test.go and give the reason there.
package archtest
