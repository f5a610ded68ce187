package sim

// layer is a service that serves each request by one call to the service below,
// with clients and a policy of its own.
type layer struct {
	client *client
	room   int // requests at once; 0 for endless
	busy   int
}

func (l *layer) take(w *world, a *attempt) {
	if l.room > 0 && l.busy >= l.room {
		a.answer(w, &overloaded, 0)
		return
	}
	l.busy++
	c := w.calls.next()
	c.client, c.outer, c.owner = l.client, a, l
	c.class = a.call.class
	c.begin(w)
}

func (l *layer) ended(w *world, c *call) {
	l.busy--
	if c.ok {
		c.outer.answer(w, nil, 0)
		return
	}
	c.outer.answer(w, &unavailable, 0)
}

// chain puts layers with the same kit on top of a backend and returns the clients
// of the topmost.
func chain(w *world, layers int, k kit, to backend) *client {
	c := newClient(w, k, to)
	for range layers - 1 {
		c = newClient(w, k, &layer{client: c})
	}
	return c
}
