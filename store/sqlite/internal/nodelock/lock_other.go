//go:build !unix || solaris || illumos || aix

package nodelock

import "os"

const locksWork = false

// tryLock never gets a lock here: nobody is known to be gone for certain,
// and nodes are declared dead by their counters alone.
func tryLock(*os.File) (bool, error) { return false, nil }

func checkLocks(string) error { return nil }
