//go:build !linux

package sqlite

func checkFileSystem(dir string) error { return checkLocks(dir) }
