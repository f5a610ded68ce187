package world

// layer is a service that serves each request by one call to the service below,
// with clients and a policy of its own.
type layer struct{ client *Client }

func (l *layer) Take(w *World, a *Attempt) {
	c := w.Calls.Next()
	c.Client, c.Outer, c.Owner = l.client, a, l
	c.Class = a.Call.Class
	c.Begin(w)
}

func (l *layer) Ended(w *World, c *Call) {
	if c.OK {
		c.Outer.Answer(w, nil, 0)
		return
	}
	c.Outer.Answer(w, &Unavailable, 0)
}

// Chain puts layers with the same kit on top of a backend and returns the clients
// of the topmost.
func Chain(w *World, layers int, k Kit, to Backend) *Client {
	c := NewClient(w, k, to)
	for range layers - 1 {
		c = NewClient(w, k, &layer{client: c})
	}
	return c
}
