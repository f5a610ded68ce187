// Package archtest holds tests of the source tree itself: which package may
// import which and why, that every package says what it is, and budgets: for
// the lines of files and functions, the methods and fields of types, the files
// of folders, and for files that use one another's names in circles. It has no
// code of its own.
//
// A failure says what to do. Usually that is to change the code; if the rule
// is wrong, change the table in table_test.go and give the reason there. What
// was beyond a budget before there was one stands in offenders_test.go with its
// numbers, which only fall.
package archtest
