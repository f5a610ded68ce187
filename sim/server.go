package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// server works on attempts in the order of their arrival, the more important
// class first. Without a rate it has endless room and answers after its latency.
// Unless attempts carry deadlines, it does not know whose caller has gone.
type server struct {
	rate    float64                                   // requests a second when all is well, 0 for endless
	random  bool                                      // service times are exponential; else all alike
	latency time.Duration                             // of every answer, besides waiting and service
	shed    time.Duration                             // refuse what would wait longer; 0 keeps everything
	room    int                                       // refuse what finds so many waiting; 0 for endless
	reads   bool                                      // deadlines of attempts: those whose caller has gone are dropped
	quiet   bool                                      // another server's attempts are the reported ones
	work    func(w *world, a *attempt) *retry.Verdict // what it does with each; nil does nothing but well
	faults  faults
	lines   [2]line // waiting attempts by class
	busy    *attempt
}

const (
	serverFinishes what = iota
	serverRecovers
)

// start makes the server notice the ends of its faults.
func (s *server) start(w *world) *server {
	for _, f := range s.faults.list {
		if f.ill == holds || f.ill == limps && f.share == 0 {
			w.at(f.to, s, serverRecovers)
		}
	}
	return s
}

func (s *server) take(w *world, a *attempt) {
	if !s.quiet {
		a.arrives(w)
	}
	if f := s.faults.now(w.now); f != nil {
		s.suffer(w, a, f)
		return
	}
	s.enqueue(w, a, s.latency)
}

// suffer takes an attempt during a fault.
func (s *server) suffer(w *world, a *attempt, f *fault) {
	switch f.ill {
	case refuses:
		a.answer(w, f.verdict, f.latency)
	case hangs:
		a.lost(w)
	case holds:
		f.held = append(f.held, a)
	case fails:
		if w.faults.Float64() < f.share {
			a.answer(w, f.verdict, f.latency)
			return
		}
		s.enqueue(w, a, s.latency)
	case slows:
		s.enqueue(w, a, f.latency)
	case limps:
		s.enqueue(w, a, s.latency)
	}
}

// enqueue works on the attempt now or later, or sheds it.
func (s *server) enqueue(w *world, a *attempt, latency time.Duration) {
	if s.rate == 0 {
		s.done(w, a, latency)
		return
	}
	class := min(int(a.call.class), len(s.lines)-1)
	ahead := 0
	for i := range class + 1 {
		ahead += s.lines[i].length()
	}
	if s.shed > 0 && float64(ahead) > s.shed.Seconds()*s.speed(w.now) || s.room > 0 && ahead >= s.room {
		a.answer(w, &overloaded, s.latency)
		return
	}
	s.lines[class].push(a)
	if s.busy == nil {
		s.next(w)
	}
}

// speed is the present rate.
func (s *server) speed(t time.Duration) float64 {
	if f := s.faults.now(t); f != nil && f.ill == limps {
		return s.rate * f.share
	}
	return s.rate
}

// next begins with the first that waits.
func (s *server) next(w *world) {
	s.busy = nil
	speed := s.speed(w.now)
	for i := 0; i < len(s.lines) && speed > 0 && s.busy == nil; i++ {
		s.busy = s.first(w, &s.lines[i])
	}
	switch {
	case s.busy == nil:
	case s.random:
		w.after(exponential(w.service, speed), s, serverFinishes)
	default:
		w.after(seconds(1/speed), s, serverFinishes)
	}
}

// first is the first of a line that is worth the work; nil when there is none.
func (s *server) first(w *world, l *line) *attempt {
	for l.length() > 0 {
		a := l.pop()
		if !s.reads || !a.gone {
			return a
		}
		a.lost(w)
	}
	return nil
}

func (s *server) happen(w *world, what what) {
	if what == serverRecovers {
		s.recover(w)
		return
	}
	s.done(w, s.busy, s.latency)
	s.next(w)
}

// recover takes in what was held and goes on with what waits.
func (s *server) recover(w *world) {
	for _, f := range s.faults.list {
		if f.to == w.now {
			for _, a := range f.held {
				s.enqueue(w, a, s.latency)
			}
			f.held = nil
		}
	}
	if s.busy == nil && s.rate > 0 {
		s.next(w)
	}
}

// done answers an attempt that was worked on.
func (s *server) done(w *world, a *attempt, latency time.Duration) {
	if a.gone && !s.quiet {
		w.meter.abandoned++
	}
	var v *retry.Verdict
	if s.work != nil {
		v = s.work(w, a)
	}
	a.answer(w, v, latency)
}

// line is a queue of attempts.
type line struct {
	waiting []*attempt
	head    int
}

func (l *line) length() int { return len(l.waiting) - l.head }

func (l *line) push(a *attempt) {
	if l.head > 64 && l.head > len(l.waiting)/2 {
		n := copy(l.waiting, l.waiting[l.head:])
		clear(l.waiting[n:])
		l.waiting, l.head = l.waiting[:n], 0
	}
	l.waiting = append(l.waiting, a)
}

func (l *line) pop() *attempt {
	a := l.waiting[l.head]
	l.waiting[l.head] = nil
	l.head++
	return a
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// ill is what is wrong with a server during a fault.
type ill uint8

const (
	refuses ill = iota // every attempt fails after the latency
	fails              // a share of the attempts fails after the latency
	hangs              // attempts are never answered
	holds              // attempts reach the server when the fault ends
	limps              // the rate is multiplied by share; 0 stands still
	slows              // answers take the latency instead of the server's own
)

// fault is a time when something is wrong.
type fault struct {
	from, to time.Duration
	ill      ill
	verdict  *retry.Verdict // of failures
	latency  time.Duration
	share    float64
	held     []*attempt
}

// faults are those of one server, in order and without overlap.
type faults struct {
	list []*fault
	next int
}

func (f *faults) add(more ...*fault) { f.list = append(f.list, more...) }

// now returns the fault of this time, nil when all is well. Time only goes on.
func (f *faults) now(t time.Duration) *fault {
	for f.next < len(f.list) && f.list[f.next].to <= t {
		f.next++
	}
	if f.next < len(f.list) && f.list[f.next].from <= t {
		return f.list[f.next]
	}
	return nil
}

// outage is a time when every attempt fails at once.
func outage(from, length time.Duration) *fault {
	return &fault{from: from, to: from + length, ill: refuses, verdict: &unavailable, latency: 5 * time.Millisecond}
}

// brownout is a time when a share of the attempts fails.
func brownout(from, length time.Duration, share float64) *fault {
	return &fault{from: from, to: from + length, ill: fails, verdict: &unavailable, latency: 5 * time.Millisecond, share: share}
}

// step is a time with another capacity.
func step(from, length time.Duration, capacity float64) *fault {
	return &fault{from: from, to: from + length, ill: limps, share: capacity}
}
