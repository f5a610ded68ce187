// Package buckets counts times by their size: the buckets are the quarters
// between two powers of two, from 1 µs on, so that a time read from them is at
// most a quarter too long.
package buckets

import (
	"math/bits"
	"time"
)

// Of is the bucket of a time, of a number of buckets.
func Of(took time.Duration, buckets int) int {
	us := took.Microseconds()
	if us < 1 {
		return 0
	}
	power := bits.Len64(uint64(us)) - 1
	return min(4*power+int(uint64(us)<<2>>power&3), buckets-1)
}

// End is the upper end of a bucket.
func End(i int) time.Duration {
	return time.Duration(5+i%4) * time.Microsecond << (i / 4) / 4
}
