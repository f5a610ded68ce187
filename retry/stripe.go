package retry

import "unsafe"

// stackBits is the logarithm of the smallest distance of two goroutines' stacks.
const stackBits = 11

// stripe chooses one of the counters that share the load of a guard: mostly the
// same one for a goroutine, mostly another one for others, and without asking
// anybody. Any choice is right, since the counters are summed up; a good one
// keeps cores from waiting for each other. The address of the stack is what a
// goroutine has to itself; it is mixed as in the finalizer of MurmurHash3, since
// the distances of stacks are regular.
func stripe() int {
	var here byte
	x := uint64(uintptr(unsafe.Pointer(&here)) >> stackBits)
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return int(x >> (64 - stripeBits))
}
