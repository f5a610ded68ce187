package outlast

import (
	"reflect"
	"sync"
)

// turns lets the calls in one transaction of a caller go one after the other.
// Drivers do not: statements of two calls would mix on the one connection, and
// what one of them undoes could be a part of the other.
type turns struct {
	mu   sync.Mutex
	byTx map[any]*turn
}

// turn is a transaction in which calls are made. Its users are counted under
// the lock of turns.
type turn struct {
	mu    sync.Mutex
	users int
}

// take waits for the turn of a call in tx; end gives it to the next one.
func (t *turns) take(tx any) (end func()) {
	if !reflect.ValueOf(tx).Comparable() {
		return func() {}
	}
	t.mu.Lock()
	if t.byTx == nil {
		t.byTx = map[any]*turn{}
	}
	one := t.byTx[tx]
	if one == nil {
		one = new(turn)
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
