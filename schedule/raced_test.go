//go:build race

package schedule_test

// raced says that the race detector makes everything many times slower.
const raced = true
