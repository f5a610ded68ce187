//go:build linux || darwin

package app

import "syscall"

// descriptors is how many files and connections this process may have open, 0 for
// unknown.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Cur
}
