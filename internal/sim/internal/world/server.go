package world

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Server works on attempts in the order of their arrival, the more important
// class first. Without a rate it has endless room and answers after its latency.
// Unless attempts carry deadlines, it does not know whose caller has gone.
type Server struct {
	Rate    float64                                   // requests a second when all is well, 0 for endless
	Random  bool                                      // service times are exponential; else all alike
	Latency time.Duration                             // of every answer, besides waiting and service
	Shed    time.Duration                             // refuse what would wait longer; 0 keeps everything
	Reads   bool                                      // deadlines of attempts: those whose caller has gone are dropped
	Quiet   bool                                      // another server's attempts are the reported ones
	Work    func(w *World, a *Attempt) *retry.Verdict // what it does with each; nil does nothing but well
	Faults  faults
	lines   [2]line // waiting attempts by class
	busy    *Attempt
}

const (
	serverFinishes What = iota
	serverRecovers
)

// Start makes the server notice the ends of its faults.
func (s *Server) Start(w *World) *Server {
	for _, f := range s.Faults.List {
		if f.Ill == Holds || f.Ill == Limps && f.Share == 0 {
			w.At(f.To, s, serverRecovers)
		}
	}
	return s
}

// Take takes in an attempt.
func (s *Server) Take(w *World, a *Attempt) {
	if !s.Quiet {
		a.Arrives(w)
	}
	if f := s.Faults.now(w.Now); f != nil {
		s.suffer(w, a, f)
		return
	}
	s.enqueue(w, a, s.Latency)
}

// suffer takes an attempt during a fault.
func (s *Server) suffer(w *World, a *Attempt, f *Fault) {
	switch f.Ill {
	case Refuses:
		a.Answer(w, f.Verdict, f.Latency)
	case Hangs:
		a.lost(w)
	case Holds:
		f.held = append(f.held, a)
	case Fails:
		if w.Faults.Float64() < f.Share {
			a.Answer(w, f.Verdict, f.Latency)
			return
		}
		s.enqueue(w, a, s.Latency)
	case Slows:
		s.enqueue(w, a, f.Latency)
	case Limps:
		s.enqueue(w, a, s.Latency)
	}
}

// enqueue works on the attempt now or later, or sheds it.
func (s *Server) enqueue(w *World, a *Attempt, latency time.Duration) {
	if s.Rate == 0 {
		s.done(w, a, latency)
		return
	}
	class := min(int(a.Call.Class), len(s.lines)-1)
	ahead := 0
	for i := range class + 1 {
		ahead += s.lines[i].length()
	}
	if s.Shed > 0 && float64(ahead) > s.Shed.Seconds()*s.speed(w.Now) {
		a.Answer(w, &Overloaded, s.Latency)
		return
	}
	s.lines[class].push(a)
	if s.busy == nil {
		s.next(w)
	}
}

// speed is the present rate.
func (s *Server) speed(t time.Duration) float64 {
	if f := s.Faults.now(t); f != nil && f.Ill == Limps {
		return s.Rate * f.Share
	}
	return s.Rate
}

// next begins with the first that waits.
func (s *Server) next(w *World) {
	s.busy = nil
	speed := s.speed(w.Now)
	for i := 0; i < len(s.lines) && speed > 0 && s.busy == nil; i++ {
		s.busy = s.first(w, &s.lines[i])
	}
	switch {
	case s.busy == nil:
	case s.Random:
		w.After(exponential(w.Service, speed), s, serverFinishes)
	default:
		w.After(Seconds(1/speed), s, serverFinishes)
	}
}

// first is the first of a line that is worth the work; nil when there is none.
func (s *Server) first(w *World, l *line) *Attempt {
	for l.length() > 0 {
		a := l.pop()
		if !s.Reads || !a.gone {
			return a
		}
		a.lost(w)
	}
	return nil
}

// Happen is the end of a work, or of a fault.
func (s *Server) Happen(w *World, what What) {
	if what == serverRecovers {
		s.recover(w)
		return
	}
	s.done(w, s.busy, s.Latency)
	s.next(w)
}

// recover takes in what was held and goes on with what waits.
func (s *Server) recover(w *World) {
	for _, f := range s.Faults.List {
		if f.To == w.Now {
			for _, a := range f.held {
				s.enqueue(w, a, s.Latency)
			}
			f.held = nil
		}
	}
	if s.busy == nil && s.Rate > 0 {
		s.next(w)
	}
}

// done answers an attempt that was worked on.
func (s *Server) done(w *World, a *Attempt, latency time.Duration) {
	if a.gone && !s.Quiet {
		w.Meter.Abandoned++
	}
	var v *retry.Verdict
	if s.Work != nil {
		v = s.Work(w, a)
	}
	a.Answer(w, v, latency)
}

// line is a queue of attempts.
type line struct {
	waiting []*Attempt
	head    int
}

func (l *line) length() int { return len(l.waiting) - l.head }

func (l *line) push(a *Attempt) {
	if l.head > 64 && l.head > len(l.waiting)/2 {
		n := copy(l.waiting, l.waiting[l.head:])
		clear(l.waiting[n:])
		l.waiting, l.head = l.waiting[:n], 0
	}
	l.waiting = append(l.waiting, a)
}

func (l *line) pop() *Attempt {
	a := l.waiting[l.head]
	l.waiting[l.head] = nil
	l.head++
	return a
}

// Seconds is a time of so many seconds.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Ill is what is wrong with a server during a fault.
type Ill uint8

const (
	Refuses Ill = iota // every attempt fails after the latency
	Fails              // a share of the attempts fails after the latency
	Hangs              // attempts are never answered
	Holds              // attempts reach the server when the fault ends
	Limps              // the rate is multiplied by share; 0 stands still
	Slows              // answers take the latency instead of the server's own
)

// Fault is a time when something is wrong.
type Fault struct {
	From, To time.Duration
	Ill      Ill
	Verdict  *retry.Verdict // of failures
	Latency  time.Duration
	Share    float64
	held     []*Attempt
}

// faults are those of one server, in order and without overlap.
type faults struct {
	List []*Fault
	next int
}

// Add adds faults, in order.
func (f *faults) Add(more ...*Fault) { f.List = append(f.List, more...) }

// now returns the fault of this time, nil when all is well. Time only goes on.
func (f *faults) now(t time.Duration) *Fault {
	for f.next < len(f.List) && f.List[f.next].To <= t {
		f.next++
	}
	if f.next < len(f.List) && f.List[f.next].From <= t {
		return f.List[f.next]
	}
	return nil
}

// Outage is a time when every attempt fails at once.
func Outage(from, length time.Duration) *Fault {
	return &Fault{From: from, To: from + length, Ill: Refuses, Verdict: &Unavailable, Latency: 5 * time.Millisecond}
}

// Brownout is a time when a share of the attempts fails.
func Brownout(from, length time.Duration, share float64) *Fault {
	return &Fault{From: from, To: from + length, Ill: Fails, Verdict: &Unavailable, Latency: 5 * time.Millisecond, Share: share}
}

// Step is a time with another capacity.
func Step(from, length time.Duration, capacity float64) *Fault {
	return &Fault{From: from, To: from + length, Ill: Limps, Share: capacity}
}
