//go:build !linux && !darwin

package sqlite

import "os"

// lock cannot tell: what a living process has open cannot be deleted here anyway.
func lock(*os.File) (got bool, err error) { return true, nil }
