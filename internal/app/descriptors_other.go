//go:build !linux && !darwin

package app

// descriptors is not known on this system.
func descriptors() uint64 { return 0 }
