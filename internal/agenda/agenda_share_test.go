package agenda

import (
	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/store"
)

// limit gives the share keys of a queue other limits.
func (m *agendaModel) limit(t *rapid.T) {
	m.agenda.Due(m.time())
	m.agenda.SetQueue("q0", QueueSettings{Weight: 1, Each: EachShare{
		Most: rapid.SampledFrom([]int{0, 0, 1, 2, NoShare}).Draw(t, "most"), Gap: rapid.SampledFrom([]int64{0, 0, 10, 200_000}).Draw(t, "gap"),
	}})
}

// read reads lanes on, which have nothing on disk.
func (m *agendaModel) read(*rapid.T) {
	ranges, from := m.agenda.ToRead()
	for i, l := range from {
		m.agenda.HasRead(l, &ranges[i], []store.Entry(nil), func() {})
	}
}

// checkShare fails unless a share is open exactly if something of it may start.
func checkShare(t *rapid.T, sh *share, running int) {
	if len(sh.ring) != sh.open.Len() {
		t.Fatalf("ring %d, open %d", len(sh.ring), sh.open.Len())
	}
	ready := 0
	for _, s := range sh.streams {
		for of := range s.ready {
			ready += s.ready[of].Len()
		}
	}
	if sh.ready != ready || sh.running != running {
		t.Fatalf("share %q counts %d ready, has %d, and %d running, has %d", sh.name, sh.ready, ready, sh.running, running)
	}
	if most := sh.queue.Each.Most; sh.isOpen && (sh.open.Len() == 0 || most != 0 && sh.running >= most) {
		t.Fatalf("share %q is open with %d streams and %d running", sh.name, sh.open.Len(), sh.running)
	}
	if !sh.isOpen && sh.open.Len() > 0 && !sh.atLimit() && !sh.crowded() && sh.waitIndex < 0 { // one that waits for its rate is looked at when it is due
		t.Fatalf("share %q is closed", sh.name)
	}
	if len(sh.streams) == 0 && sh != sh.queue.plain && sh.waitIndex < 0 {
		t.Fatalf("share %q is empty", sh.name)
	}
}

// checkCrowds fails unless whoever sleeps is woken at some time.
func checkCrowds(t *rapid.T, q *Queue, retries map[*crowd]int) {
	for _, c := range q.crowds {
		due, count, awake := [guard.Sets]int{}, 0, 0
		for _, s := range c.streams {
			count += s.count
			for of := range s.ready {
				due[of] += s.ready[of].Len()
			}
			if s.isOpen && s.share.isOpen {
				awake++
			}
		}
		if due != c.due || count != c.count || c.retries != retries[c] {
			t.Fatalf("of %s there are %v, %d, %d retries, and it counts %v, %d, %d", c.target.Name, due, count, retries[c], c.due, c.count, c.retries)
		}
		if c.asleep.Len() > 0 && !c.rests && awake == 0 && len(c.streams) > 1 {
			t.Fatalf("%d streams of %s sleep and nobody wakes them", c.asleep.Len(), c.target.Name)
		}
		open, _ := c.target.Startable()
		if none := [guard.Sets]bool{}; (c.rests || c.open == none) != (open == none) && due != [guard.Sets]int{} {
			t.Fatalf("%s rests: %v, and lets %v start", c.target.Name, c.rests, open)
		}
	}
}

func checkPortions(t *rapid.T, l *Lane, counts map[*portion]int) {
	lagging := 0
	for key, p := range l.portions {
		if p.lags {
			lagging++
		}
		if p.count != counts[p] || p.lags != (p.left && p.count <= p.low) || p.name != key || p.count == 0 && !p.left {
			t.Fatalf("portion %+v has %d", *p, counts[p])
		}
	}
	if lagging != l.lagging {
		t.Fatalf("%d portions lag, and the lane counts %d", lagging, l.lagging)
	}
}
