package token

import (
	"net/netip"
	"sync"
	"time"
)

// Limits of failed attempts to authenticate.
const (
	// Failures of one address are answered as such until there were so many ...
	Failures = 20
	// ... of which one is forgotten in this time.
	forgiven = 6 * time.Second
	// Addresses are so many at most; all further ones count as one.
	addresses = 4096
)

// Limiter counts failures to authenticate by address, in bounded memory. It
// never keeps out who has a good token: behind a proxy everybody has the same
// address, and 256 bits cannot be guessed however often one tries. What it saves
// is logs and patience. It is safe for concurrent use; the zero value is ready.
type Limiter struct {
	mu    sync.Mutex
	known map[netip.Addr]bucket
}

// bucket is how many failures are left since a time.
type bucket struct {
	left float64
	at   time.Time
}

// Failed counts a failure of an address. It returns zero, or how long the
// address is to wait because it has failed too often.
func (l *Limiter) Failed(address netip.Addr, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[netip.Addr]bucket{}
	}
	place := network(address)
	b, known := l.known[place]
	if !known {
		if len(l.known) >= addresses {
			l.sweep(now)
		}
		if len(l.known) >= addresses {
			place = netip.Addr{}
			b, known = l.known[place]
		}
	}
	if !known {
		b = bucket{Failures, now}
	}
	b = b.refilled(now)
	if b.left >= 1 {
		b.left--
	} else {
		wait = time.Duration((1 - b.left) * float64(forgiven))
	}
	l.known[place] = b
	return wait
}

// sweep forgets who has not failed for long.
func (l *Limiter) sweep(now time.Time) {
	for address, b := range l.known {
		if b.refilled(now).left >= Failures {
			delete(l.known, address)
		}
	}
}

func (b bucket) refilled(now time.Time) bucket {
	return bucket{min(Failures, b.left+float64(now.Sub(b.at))/float64(forgiven)), now}
}

// network is what one subscriber has: an address of IPv4, 64 bits of IPv6.
func network(address netip.Addr) netip.Addr {
	address = address.Unmap().WithZone("")
	if !address.Is6() {
		return address
	}
	prefix, _ := address.Prefix(64) // 64 bits are in range
	return prefix.Addr()
}
