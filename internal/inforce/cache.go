package inforce

import (
	"sync"

	"github.com/outlast-dev/outlast/retry"
)

// mostPolicies bounds the cache of parsed inline policies. Callers usually
// send few different ones; when there are more, the cache starts over.
const mostPolicies = 1024

// cache keeps parsed policies by their text.
type cache struct {
	mu     sync.RWMutex
	parsed map[string]*retry.Policy
}

func (c *cache) find(text string) *retry.Policy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.parsed[text]
}

func (c *cache) keep(text string, policy *retry.Policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil || len(c.parsed) >= mostPolicies {
		c.parsed = make(map[string]*retry.Policy)
	}
	c.parsed[text] = policy
}

// clear forgets everything.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parsed = nil
}
