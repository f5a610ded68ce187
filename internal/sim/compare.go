package sim

import (
	"fmt"
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
)

// Comparison is one storm, or one history, with several policies.
type Comparison struct {
	Scenario   string      `json:"scenario,omitempty" doc:"Id of the scenario; absent of recorded tasks."`
	Name       string      `json:"name" doc:"Name of the scenario."`
	Shows      string      `json:"shows,omitempty" doc:"What the scenario shows, in a sentence."`
	Seed       uint64      `json:"seed" doc:"Of the random numbers."`
	Begin      *time.Time  `json:"begin,omitempty" doc:"Of recorded tasks: when the first attempt began."`
	Parameters []Parameter `json:"parameters,omitempty" doc:"The numbers that the scenario fixes."`
	// FaultFrom and FaultTo are when the storm's fault begins and ends, in seconds;
	// both 0 when there is none.
	FaultFrom float64   `json:"fault_from_s" doc:"When the fault begins, in seconds."`
	FaultTo   float64   `json:"fault_to_s" doc:"When the fault ends, in seconds."`
	Variants  []Variant `json:"variants" doc:"What each policy measured."`
	Events    int64     `json:"events" doc:"Events of the simulation."`

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
		c.play(s, s.made.Own.With("ours: "+s.made.Own.Name))
		if s.made.Contrast.Name != "" {
			c.play(s, s.made.Contrast).Control = true
		}
	}
	for i := range contenders {
		c.play(s, contenders[i].kit(s.made.Own))
	}
	return c
}

// play adds the storm with one kind of clients.
func (c *Comparison) play(s *Scenario, k world.Kit) *Variant {
	w := world.New(c.Seed)
	w.Over = c.over
	s.made.Storm(w, k)
	w.Run()
	return c.add(k.Name, w)
}

// add sums up a run.
func (c *Comparison) add(name string, w *world.World) *Variant {
	m := w.Meter
	c.Variants = append(c.Variants, Variant{Name: name, Metrics: metricsOf(m), Series: seriesOf(m), meter: m})
	c.FaultFrom, c.FaultTo = m.Trigger.From.Seconds(), m.Trigger.To.Seconds()
	c.Events += w.Count
	return &c.Variants[len(c.Variants)-1]
}

// Coarsen gives all series the same steps: as many as the longest run takes, and at most
// as many as given.
func (c *Comparison) Coarsen(steps int) {
	width, length := time.Duration(0), time.Duration(0)
	for i := range c.Variants {
		m := c.Variants[i].meter
		m.Fit(steps)
		width, length = max(width, m.Width), max(length, m.Length)
	}
	step := world.PerSpan * width
	if rest := length % step; rest > 0 && length < math.MaxInt64-step {
		length += step - rest
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		for v.meter.Width < width {
			v.meter.Coarsen()
		}
		v.meter.Finish(length)
		v.Series = seriesOf(v.meter)
	}
}

// String is a heading.
func (c *Comparison) String() string {
	if c.Scenario == "" {
		return c.Name
	}
	return fmt.Sprintf("%s · %s", c.Scenario, c.Name)
}
