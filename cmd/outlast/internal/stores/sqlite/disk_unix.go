//go:build linux || darwin

package sqlite

import (
	"syscall"
)

// freeSpace is how many bytes a user may still write to a folder's disk.
func freeSpace(folder string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(folder, &stat); err != nil {
		return 0, err
	}
	return stat.Bavail * uint64(stat.Bsize), nil //nolint:gosec // block sizes are positive
}
