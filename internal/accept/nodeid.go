package accept

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// NodeID is new at every call: the host's name, for people, and 64 random
// bits.
func NodeID() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "node"
	}
	host = strings.Map(func(r rune) rune {
		if r < 0x80 && IsNameByte(byte(r)) {
			return r
		}
		return '-'
	}, host)
	// What holds a lease is written as node, worker and release: with a suffix of the node,
	// 128 and 64 bytes of these and two marks, 255 bytes, as many as MySQL keeps.
	return host[:min(len(host), 35)] + "-" + strconv.FormatUint(rand.Uint64()|1<<63, 16)
}
