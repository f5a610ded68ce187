package sim

import (
	"fmt"
	"math"
	"time"
)

// Comparison is one storm, or one history, with several policies.
type Comparison struct {
	Scenario   string      `json:"scenario,omitempty"` // "" for a history
	Name       string      `json:"name"`
	Shows      string      `json:"shows,omitempty"`
	Seed       uint64      `json:"seed"`
	Begin      *time.Time  `json:"begin,omitempty"` // of a history
	Parameters []Parameter `json:"parameters,omitempty"`
	// FaultFrom and FaultTo are when the storm's fault begins and ends, in seconds;
	// both 0 when there is none.
	FaultFrom float64   `json:"fault_from_s"`
	FaultTo   float64   `json:"fault_to_s"`
	Variants  []Variant `json:"variants"`
	Events    int64     `json:"events"`

	over func() bool // whether to give up; nil for never
}

// Compare plays the storm that stands for a scenario with each contender. All of
// them meet the same arrivals. Fewer than two are compared with our own clients and
// with those of the scenario's main control, which come first.
func Compare(s *Scenario, seed uint64, contenders []Contender) *Comparison {
	return compare(nil, s, seed, contenders)
}

// CompareUntil is [Compare] for those who do not wait for ever: over is asked now and
// then whether to give up. There is no comparison then, and an error.
func CompareUntil(over func() bool, s *Scenario, seed uint64, contenders []Contender) (*Comparison, error) {
	return untilOver(func() *Comparison { return compare(over, s, seed, contenders) })
}

func compare(over func() bool, s *Scenario, seed uint64, contenders []Contender) *Comparison {
	c := &Comparison{
		over: over, Scenario: s.ID, Name: s.Name, Shows: s.Shows, Seed: seed,
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
	w.over = c.over
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

// Coarsen gives all series the same steps: as many as the longest run takes, and at most
// as many as given.
func (c *Comparison) Coarsen(steps int) {
	width, length := time.Duration(0), time.Duration(0)
	for i := range c.Variants {
		m := c.Variants[i].meter
		m.fit(steps)
		width, length = max(width, m.width), max(length, m.length)
	}
	step := perSpan * width
	if rest := length % step; rest > 0 && length < math.MaxInt64-step {
		length += step - rest
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		for v.meter.width < width {
			v.meter.coarsen()
		}
		v.meter.finish(length)
		v.Series = v.meter.series()
	}
}

// String is a heading.
func (c *Comparison) String() string {
	if c.Scenario == "" {
		return c.Name
	}
	return fmt.Sprintf("%s · %s", c.Scenario, c.Name)
}
