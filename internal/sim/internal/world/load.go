package world

import "time"

// Stream is an open loop: calls arrive at random times and do not wait for each
// other, each from a random instance of a fleet. A rate that changes is a list of
// times and rates, in order.
type Stream struct {
	Clients  []*Client
	Rate     float64 // calls a second
	Surges   []Surge
	Until    time.Duration
	Deadline time.Duration           // of each call, from its beginning; 0 for none
	Shape    func(w *World, c *Call) // sets what calls differ in; nil for nothing
	Meter    *Meter                  // of a part of the load, besides the common one
}

// Surge multiplies the rate of a stream for a time.
type Surge struct {
	From, To time.Duration
	Factor   float64
}

// Start lets the first call come.
func (s *Stream) Start(w *World) { w.After(exponential(w.Arrivals, s.now(0)), s, 0) }

// now is the present rate.
func (s *Stream) now(t time.Duration) float64 {
	for _, u := range s.Surges {
		if u.From <= t && t < u.To {
			return s.Rate * u.Factor
		}
	}
	return s.Rate
}

// Happen is the next call.
func (s *Stream) Happen(w *World, _ What) {
	if w.Now >= s.Until {
		return
	}
	w.After(exponential(w.Arrivals, s.now(w.Now)), s, 0)
	c := w.Calls.Next()
	c.Owner = s
	c.Client = s.Clients[0]
	if len(s.Clients) > 1 {
		c.Client = s.Clients[w.Arrivals.IntN(len(s.Clients))]
	}
	if s.Deadline > 0 {
		c.deadline = w.Now + s.Deadline
	}
	if s.Shape != nil {
		s.Shape(w, c)
	}
	w.Meter.Offered(w.Now)
	if s.Meter != nil {
		s.Meter.Offered(w.Now)
	}
	c.Begin(w)
}

// Ended counts a call of the stream.
func (s *Stream) Ended(w *World, c *Call) {
	w.ended(c)
	if s.Meter != nil {
		s.Meter.Ended(w.Now, c)
	}
}

// Crowd is callers who each make calls one after the other.
type Crowd struct {
	Clients []*Client
	Each    int           // calls of each caller; 0 for endless
	Think   time.Duration // between the end of a call and the next
	from    time.Duration // when they all begin
	until   time.Duration // no call begins after it; 0 for never
	shape   func(w *World, c *Call)
}

// Start lets every caller begin, one per client.
func (s *Crowd) Start(w *World) {
	for _, client := range s.Clients {
		w.At(s.from, &caller{crowd: s, client: client}, 0)
	}
}

// caller is one of a crowd.
type caller struct {
	crowd  *Crowd
	client *Client
	made   int
}

func (m *caller) Happen(w *World, _ What) {
	if m.crowd.until > 0 && w.Now >= m.crowd.until {
		return
	}
	m.made++
	c := w.Calls.Next()
	c.Client, c.Owner = m.client, m
	if m.crowd.shape != nil {
		m.crowd.shape(w, c)
	}
	w.Meter.Offered(w.Now)
	c.Begin(w)
}

func (m *caller) Ended(w *World, c *Call) {
	w.ended(c)
	if m.crowd.Each == 0 || m.made < m.crowd.Each {
		w.After(m.crowd.Think, m, 0)
	}
}

// ended counts a call that somebody made.
func (w *World) ended(c *Call) {
	w.Meter.Ended(w.Now, c)
	if w.OnEnd != nil {
		w.OnEnd(c)
	}
}
