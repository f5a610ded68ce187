package background

import (
	"context"
	"sync"
	"time"
)

// Pace is how often loops look for what nobody has told them of, where that costs more than
// it finds: in tests, whose virtual time stops at each look. While something happens they
// look as often as they ask for, and rarely while nothing does. A nil Pace is that of
// programs, always as often as loops ask for. It is safe for concurrent use.
type Pace struct {
	calm, rare time.Duration

	mu      sync.Mutex
	busy    bool
	touched time.Time
	rests   *time.Timer // looks whether nothing happens any more
	tickers map[*Ticker]struct{}
}

// NewPace makes a pace that takes it that nothing happens once nothing was told of for calm.
// Loops look no more often than every rare then.
func NewPace(calm, rare time.Duration) *Pace {
	return &Pace{calm: calm, rare: rare, tickers: map[*Ticker]struct{}{}}
}

// Rare is the longest time between two looks of a loop that asks for less; 0 for programs.
func (p *Pace) Rare() time.Duration {
	if p == nil {
		return 0
	}
	return p.rare
}

// Touch says that something has happened. Loops look soon, those at once that would have
// looked by now.
func (p *Pace) Touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.touched = time.Now()
	if p.busy {
		return
	}
	p.busy = true
	p.rests = time.AfterFunc(p.calm, p.rest)
	p.arm()
}

// rest lets loops look rarely, if nothing has happened.
func (p *Pace) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.calm - time.Since(p.touched); left > 0 {
		p.rests.Reset(left)
		return
	}
	p.busy = false
	p.arm()
}

func (p *Pace) arm() {
	for t := range p.tickers {
		t.arm()
	}
}

type paceKey struct{}

// WithPace says with a context at which pace the loops go that run under it.
func WithPace(ctx context.Context, p *Pace) context.Context {
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, paceKey{}, p)
}

// PaceOf is the pace that a context says, nil for that of programs.
func PaceOf(ctx context.Context) *Pace {
	p, _ := ctx.Value(paceKey{}).(*Pace)
	return p
}

// Ticker is a [time.Ticker] at the pace of a context. One goroutine may use it.
type Ticker struct {
	C     <-chan time.Time
	plain *time.Ticker // of programs

	pace  *Pace
	c     chan time.Time
	every time.Duration // what follows is held by the pace
	last  time.Time
	timer *time.Timer
}

// NewTicker makes a ticker that ticks every d at the pace of ctx. Stop it.
func NewTicker(ctx context.Context, d time.Duration) *Ticker {
	p := PaceOf(ctx)
	if p == nil {
		plain := time.NewTicker(d)
		return &Ticker{C: plain.C, plain: plain}
	}
	c := make(chan time.Time, 1)
	t := &Ticker{C: c, c: c, pace: p, every: d, last: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.timer = time.AfterFunc(d, t.tick)
	p.tickers[t] = struct{}{}
	t.arm()
	return t
}

// Reset makes the ticker tick every d from now on.
func (t *Ticker) Reset(d time.Duration) {
	if t.plain != nil {
		t.plain.Reset(d)
		return
	}
	t.pace.mu.Lock()
	defer t.pace.mu.Unlock()
	t.every, t.last = d, time.Now()
	t.arm()
}

// Stop ends the ticking.
func (t *Ticker) Stop() {
	if t.plain != nil {
		t.plain.Stop()
		return
	}
	t.pace.mu.Lock()
	defer t.pace.mu.Unlock()
	t.timer.Stop()
	delete(t.pace.tickers, t)
}

// arm sets the timer by the pace, which must be held.
func (t *Ticker) arm() {
	every := t.every
	if !t.pace.busy {
		every = max(every, t.pace.rare)
	}
	t.timer.Reset(max(0, time.Until(t.last.Add(every))))
}

func (t *Ticker) tick() {
	t.pace.mu.Lock()
	defer t.pace.mu.Unlock()
	if _, runs := t.pace.tickers[t]; !runs {
		return
	}
	t.last = time.Now()
	select {
	case t.c <- t.last:
	default: // the last one has not been taken yet
	}
	t.arm()
}

// Idle is [Sleep] of a loop between two looks, at the pace of ctx.
func Idle(ctx context.Context, d time.Duration) bool {
	if PaceOf(ctx) == nil {
		return Sleep(ctx, d)
	}
	return Nap(ctx, longest, d)
}

// Nap waits for d, or between two looks if that is less, at the pace of ctx; false if ctx
// ended first.
func Nap(ctx context.Context, d, look time.Duration) bool {
	if PaceOf(ctx) == nil {
		return Sleep(ctx, min(d, look))
	}
	ticker := NewTicker(ctx, look)
	defer ticker.Stop()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ticker.C:
		return true
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// longest is longer than anything lives.
const longest = 100 * 365 * 24 * time.Hour
