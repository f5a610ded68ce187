package intake

import "sync"

// Bytes bounds what request bodies hold in memory, in all and of one caller, who gets
// half. A caller that has nothing yet may go beyond its half, and one body beyond the
// whole where there is nothing else, so that every body that is small enough for its
// route is taken at some time. It is safe for concurrent use.
type Bytes struct {
	most int64

	mu      sync.Mutex
	held    int64
	callers map[string]int64
	refused uint64
}

// NewBytes bounds the bytes of all bodies.
func NewBytes(most int64) *Bytes { return &Bytes{most: most, callers: map[string]int64{}} }

// Take takes bytes for a caller; false if there is no room.
func (b *Bytes) Take(caller string, bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.callers[caller]
	if b.held > 0 && b.held+bytes > b.most || own > 0 && own+bytes > b.most/2 {
		b.refused++
		return false
	}
	b.held += bytes
	b.callers[caller] = own + bytes
	return true
}

// Give gives them back.
func (b *Bytes) Give(caller string, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= bytes
	if b.callers[caller] -= bytes; b.callers[caller] <= 0 {
		delete(b.callers, caller)
	}
}

// Held is how many bytes are taken, and how often there was no room.
func (b *Bytes) Held() (bytes int64, refused uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, b.refused
}
