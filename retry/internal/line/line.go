// Package line lets callers wait for something one after another.
package line

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Line is a queue of callers. Only the first of them asks for what all wait for, so
// that nobody overtakes and a chance wakes one caller, not all. The zero Line is
// empty. It is safe for concurrent use.
type Line struct {
	length atomic.Int32

	mu     sync.Mutex
	places []*Place
}

// Place is that of one caller.
type Place struct {
	line *Line
	news chan struct{} // the caller has become the first, or is to ask again
}

// Empty reports whether nobody waits.
func (l *Line) Empty() bool { return l.length.Load() == 0 }

// Enter takes the last place. Whoever has entered is to ask once more, if it is the
// first: what it waits for may have come before.
func (l *Line) Enter() *Place {
	p := &Place{l, make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places = append(l.places, p)
	l.length.Add(1)
	return p
}

// Stir has the first caller ask again.
func (l *Line) Stir() {
	if l.Empty() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stir()
}

func (l *Line) stir() {
	if len(l.places) == 0 {
		return
	}
	select {
	case l.places[0].news <- struct{}{}:
	default: // it has not looked yet
	}
}

// Ahead is how many stand before the caller.
func (p *Place) Ahead() int {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	return slices.Index(p.line.places, p)
}

// Wait returns when the caller is to ask again, after d, or when ctx ends.
func (p *Place) Wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.news:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Leave gives the place up, once. The next caller is told if it is the first now.
func (p *Place) Leave() {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.places, p)
	l.places = slices.Delete(l.places, at, at+1)
	l.length.Add(-1)
	if at == 0 {
		l.stir()
	}
}
