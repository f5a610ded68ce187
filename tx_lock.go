package outlast

import (
	"reflect"
	"sync"
)

// txLocks lets the calls in one transaction of a caller go one after the other.
// Drivers do not: statements of two calls would mix on the one connection, and
// what one of them undoes could be a part of the other.
type txLocks struct {
	mu   sync.Mutex
	byTx map[any]*txLock
}

// txLock is a transaction in which calls are made. Its users are counted under
// the lock of txLocks.
type txLock struct {
	mu    sync.Mutex
	users int
}

// lock waits until no other call is made in tx; end lets the next one go on.
func (t *txLocks) lock(tx any) (end func()) {
	if !reflect.ValueOf(tx).Comparable() {
		return func() {}
	}
	t.mu.Lock()
	if t.byTx == nil {
		t.byTx = map[any]*txLock{}
	}
	one := t.byTx[tx]
	if one == nil {
		one = new(txLock)
		t.byTx[tx] = one
	}
	one.users++
	t.mu.Unlock()
	one.mu.Lock()
	return func() {
		one.mu.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(t.byTx, tx)
		}
	}
}
