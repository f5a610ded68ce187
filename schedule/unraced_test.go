//go:build !race

package schedule_test

const raced = false
