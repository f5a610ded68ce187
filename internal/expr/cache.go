package expr

import "sync"

// mostKept bounds a cache, in bytes by [Program.Weight]: when there would be more, it
// starts over.
const mostKept = 16 << 20

// cache keeps conditions by their text, since callers send the same ones again
// and again, and to compile one takes most of a millisecond.
type cache struct {
	mu     sync.RWMutex
	known  map[string]*Condition
	weight int // of all that are known
}

// find returns nil for a text that it has not.
func (c *cache) find(text string) *Condition {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.known[text]
}

func (c *cache) keep(made *Condition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[made.text] != nil {
		return
	}
	if c.known == nil || c.weight+made.Weight > mostKept {
		c.known, c.weight = make(map[string]*Condition), 0
	}
	c.known[made.text] = made
	c.weight += made.Weight
}
