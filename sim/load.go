package sim

import "time"

// stream is an open loop: calls arrive at random times and do not wait for each
// other, each from a random instance of a fleet. A rate that changes is a list of
// times and rates, in order.
type stream struct {
	clients  []*client
	rate     float64 // calls a second
	surges   []surge
	until    time.Duration
	deadline time.Duration           // of each call, from its beginning; 0 for none
	shape    func(w *world, c *call) // sets what calls differ in; nil for nothing
	meter    *meter                  // of a part of the load, besides the common one
}

// surge multiplies the rate of a stream for a time.
type surge struct {
	from, to time.Duration
	factor   float64
}

func (s *stream) start(w *world) { w.after(exponential(w.arrivals, s.now(0)), s, 0) }

// now is the present rate.
func (s *stream) now(t time.Duration) float64 {
	for _, u := range s.surges {
		if u.from <= t && t < u.to {
			return s.rate * u.factor
		}
	}
	return s.rate
}

func (s *stream) happen(w *world, _ what) {
	if w.now >= s.until {
		return
	}
	w.after(exponential(w.arrivals, s.now(w.now)), s, 0)
	c := w.calls.next()
	c.owner = s
	c.client = s.clients[0]
	if len(s.clients) > 1 {
		c.client = s.clients[w.arrivals.IntN(len(s.clients))]
	}
	if s.deadline > 0 {
		c.deadline = w.now + s.deadline
	}
	if s.shape != nil {
		s.shape(w, c)
	}
	w.meter.offered(w.now)
	if s.meter != nil {
		s.meter.offered(w.now)
	}
	c.begin(w)
}

func (s *stream) ended(w *world, c *call) {
	w.ended(c)
	if s.meter != nil {
		s.meter.ended(w.now, c)
	}
}

// crowd is callers who each make calls one after the other.
type crowd struct {
	clients []*client
	each    int           // calls of each caller; 0 for endless
	think   time.Duration // between the end of a call and the next
	from    time.Duration // when they all begin
	until   time.Duration // no call begins after it; 0 for never
	shape   func(w *world, c *call)
}

// start lets every caller begin, one per client.
func (s *crowd) start(w *world) {
	for _, client := range s.clients {
		w.at(s.from, &caller{crowd: s, client: client}, 0)
	}
}

// caller is one of a crowd.
type caller struct {
	crowd  *crowd
	client *client
	made   int
}

func (m *caller) happen(w *world, _ what) {
	if m.crowd.until > 0 && w.now >= m.crowd.until {
		return
	}
	m.made++
	c := w.calls.next()
	c.client, c.owner = m.client, m
	if m.crowd.shape != nil {
		m.crowd.shape(w, c)
	}
	w.meter.offered(w.now)
	c.begin(w)
}

func (m *caller) ended(w *world, c *call) {
	w.ended(c)
	if m.crowd.each == 0 || m.made < m.crowd.each {
		w.after(m.crowd.think, m, 0)
	}
}

// ended counts a call that somebody made.
func (w *world) ended(c *call) {
	w.meter.ended(w.now, c)
	if w.onEnd != nil {
		w.onEnd(c)
	}
}
