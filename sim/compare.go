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
// them meet the same arrivals.
func Compare(s *Scenario, seed uint64, contenders []Contender) *Comparison {
	c := &Comparison{
		Scenario: s.ID, Name: s.Name, Shows: s.Shows, Seed: seed,
		Parameters: append([]Parameter(nil), s.Parameters...),
	}
	for i := range contenders {
		w := newWorld(seed)
		s.storm(w, contenders[i].kit(s.own))
		w.run()
		c.add(contenders[i].Name, w)
	}
	return c
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
