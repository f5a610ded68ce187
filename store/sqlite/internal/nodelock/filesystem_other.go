//go:build !linux

package nodelock

// CheckFileSystem refuses a folder in which locks cannot be relied on.
func CheckFileSystem(dir string) error { return checkLocks(dir) }
