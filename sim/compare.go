package sim

import "fmt"

// Comparison is one storm, or one history, with several policies.
type Comparison struct {
	Scenario   string      `json:"scenario,omitempty"` // "" for a history
	Name       string      `json:"name"`
	Shows      string      `json:"shows,omitempty"`
	Seed       uint64      `json:"seed"`
	Parameters []Parameter `json:"parameters,omitempty"`
	// FaultFrom and FaultTo are when the storm's fault begins and ends, in seconds;
	// both 0 when there is none.
	FaultFrom float64   `json:"fault_from_s"`
	FaultTo   float64   `json:"fault_to_s"`
	Variants  []Variant `json:"variants"`
	Events    int64     `json:"events"`
}

// Compare plays the storm that stands for a scenario with each contender. All of
// them meet the same arrivals. Fewer than two are compared with our own clients and
// with those of the scenario's main control, which come first.
func Compare(s *Scenario, seed uint64, contenders []Contender) *Comparison {
	c := &Comparison{
		Scenario: s.ID, Name: s.Name, Shows: s.Shows, Seed: seed,
		Parameters: append([]Parameter(nil), s.Parameters...),
	}
	if len(contenders) < 2 {
		c.play(s, s.own.with("ours: "+s.own.name))
		if s.contrast.name != "" {
			c.play(s, s.contrast).Control = true
		}
	}
	for i := range contenders {
		c.play(s, contenders[i].kit(s.own))
	}
	return c
}

// play adds the storm with one kind of clients.
func (c *Comparison) play(s *Scenario, k kit) *Variant {
	w := newWorld(c.Seed)
	s.storm(w, k)
	w.run()
	return c.add(k.name, w)
}

// add sums up a run.
func (c *Comparison) add(name string, w *world) *Variant {
	m := w.meter
	c.Variants = append(c.Variants, Variant{Name: name, Metrics: m.metrics(), Series: m.series(), meter: m})
	c.FaultFrom, c.FaultTo = m.trigger.from.Seconds(), m.trigger.to.Seconds()
	c.Events += w.count
	return &c.Variants[len(c.Variants)-1]
}

// String is a heading.
func (c *Comparison) String() string {
	if c.Scenario == "" {
		return c.Name
	}
	return fmt.Sprintf("%s · %s", c.Scenario, c.Name)
}
