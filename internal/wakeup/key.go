package wakeup

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
)

// Key is what a node is called with, "" when nobody can call it. It stands in its row.
type Key string

// NewKey makes the key of a node that listens at an address, "" for none.
func NewKey(address string) Key {
	if address == "" {
		return ""
	}
	return Key(rand.Text())
}

// Accepts compares a key in a time that does not depend on it.
func (k Key) Accepts(given string) bool {
	theirs, own := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(k))
	return k != "" && subtle.ConstantTimeCompare(theirs[:], own[:]) == 1
}
