package retry

import (
	"math"
	"sync"
	"time"
)

// The lengths of outages are kept in cells of equal width on a logarithmic
// scale: 16 cells to a doubling, from a quarter of a second to 36 hours.
const (
	outageShortest = 0.25 // seconds
	outageFineness = 16
	outageCells    = 19 * outageFineness
)

const (
	// outageFade is what remains of an outage's weight at each later one: the
	// last fifty count for nearly two thirds.
	outageFade = 0.98
	// outagePrior is the weight of outages that were never seen, spread evenly over
	// all cells, so that no length is thought impossible.
	outagePrior = 2.0
	// outagesNeeded is how many outages must be known before they are trusted.
	outagesNeeded = 5
	// outageSpread draws each wait from ±10 % around the plan.
	outageSpread = 0.1
)

// Outages learns how long the outages of one target last, and says when a probe
// is worth it. It keeps a histogram of 304 cells in which old outages fade. It
// is safe for concurrent use.
//
// Probes are an inspection plan in the sense of Barlow, Hunter and Proschan
// ("Optimum Checking Procedures", 1963): each failed probe costs a price, each
// second for which an ended outage is not noticed costs one. The plan with the
// least expected cost is found by dynamic programming over the cells, and the
// price is the highest at which the expected delay stays within
// [OutagesConfig.Delay] + [OutagesConfig.Share] · mean length. So probes stand
// where outages tend to end. Where lengths are memoryless (exponential), history
// says nothing, and the plan is one of even steps.
type Outages struct {
	config OutagesConfig

	mu     sync.Mutex
	weight []float32 // by cell; nil before the first outage
	known  int
	next   []int16 // by edge of the last failed probe: the edge of the next
}

// OutagesConfig says how late the end of an outage may be noticed, in the mean.
// Zero fields take the defaults.
type OutagesConfig struct {
	// Delay is allowed whatever the length. Default 3 s, a little more than what
	// probes every five seconds take.
	Delay time.Duration
	// Share of the mean length is allowed in addition. Default 0.0225.
	Share float64
	// Allowed, when not nil, says it for an outage of each length instead of Delay and
	// Share: in the mean over the outages that were seen.
	Allowed func(length time.Duration) time.Duration
	// Defer, when not nil, is handed the work of [Outages.Observe], to be done soon
	// and elsewhere: an engine that uses breakers under a lock of its own has it done
	// outside.
	Defer func(work func())
}

// NewOutages makes an empty history.
func NewOutages(config OutagesConfig) *Outages {
	if config.Delay <= 0 {
		config.Delay = 3 * time.Second
	}
	if config.Share <= 0 {
		config.Share = 0.0225
	}
	return &Outages{config: config}
}

// Observe adds an outage that is over: it had lasted longer than after when the
// last probe failed (0 if none did), and had ended when a probe succeeded after
// by. It takes some hundred microseconds and is not to be called under a lock.
func (o *Outages) Observe(after, by time.Duration) {
	if o.config.Defer != nil {
		o.config.Defer(func() { o.observe(after, by) })
		return
	}
	o.observe(after, by)
}

func (o *Outages) observe(after, by time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.weight == nil {
		o.weight = make([]float32, outageCells)
		o.next = make([]int16, outageCells)
	}
	for i := range o.weight {
		o.weight[i] *= outageFade
	}
	o.spread(after.Seconds(), by.Seconds())
	if o.known++; o.known >= outagesNeeded {
		o.plan()
	}
}

// spread adds weight 1 to the cells between two lengths, in proportion to what
// each has in common with the interval: where in it the outage ended is not
// known.
func (o *Outages) spread(after, by float64) {
	by = max(by, outageShortest)
	after = min(max(after, 0), by*0.999)
	last := outageEdge(outageCells - 1)
	if after >= last {
		o.weight[outageCells-1]++
		return
	}
	by = min(by, outageEdge(outageCells))
	low := 0.0
	for i := range o.weight {
		high := outageEdge(i + 1)
		if common := min(high, by) - max(low, after); common > 0 {
			o.weight[i] += float32(common / (by - after))
		}
		low = high
	}
}

// Next says how long to wait before the next probe of an outage that has lasted
// for elapsed already; false when too little is known. It is a pure function of
// what was observed and of r.
func (o *Outages) Next(elapsed time.Duration, r Rand) (time.Duration, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known < outagesNeeded {
		return 0, false
	}
	at := outageIndex(elapsed.Seconds())
	if at >= outageCells {
		return time.Duration(o.config.Share * float64(elapsed)), true
	}
	wait := outageEdge(int(o.next[at])) - elapsed.Seconds()
	wait = max(wait, outageShortest/2)
	wait *= 1 - outageSpread + 2*outageSpread*uniform(r)
	return time.Duration(wait * float64(time.Second)), true
}

// Known is how many outages have been observed.
func (o *Outages) Known() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known
}

// outageEdge is the lower edge of cell i, in seconds; the one of cell 0 is 0.
func outageEdge(i int) float64 {
	if i <= 0 {
		return 0
	}
	return outageShortest * math.Exp2(float64(i)/outageFineness)
}

// outageIndex is the edge nearest to a length.
func outageIndex(seconds float64) int {
	if seconds <= outageShortest {
		return 0
	}
	return int(math.Round(outageFineness * math.Log2(seconds/outageShortest)))
}

// outageModel is the distribution of lengths as prefix sums over the cells.
type outageModel struct {
	edge   [outageCells + 1]float64
	below  [outageCells + 1]float64 // share of outages that end before the edge
	moment [outageCells + 1]float64 // sum of share · length up to the edge
}

func (o *Outages) model() *outageModel {
	m := &outageModel{}
	total := outagePrior
	for _, w := range o.weight {
		total += float64(w)
	}
	for i, w := range o.weight {
		share := (float64(w) + outagePrior/outageCells) / total
		m.edge[i+1] = outageEdge(i + 1)
		m.below[i+1] = m.below[i] + share
		m.moment[i+1] = m.moment[i] + share*m.middle(i)
	}
	return m
}

// middle is the middle of a cell.
func (m *outageModel) middle(i int) float64 { return (m.edge[i] + m.edge[i+1]) / 2 }

// plan fills next for the highest price at which the delay is within bounds.
func (o *Outages) plan() {
	m := o.model()
	allowed, total := 0.0, 0.0
	for i, w := range o.weight {
		if w > 0 {
			allowed += float64(w) * o.allowed(m.middle(i))
			total += float64(w)
		}
	}
	allowed /= total
	low, high := 1e-3, 1e4
	for high/low > 1.05 {
		price := math.Sqrt(low * high)
		if o.delayAt(m, price) > allowed {
			high = price
		} else {
			low = price
		}
	}
	o.delayAt(m, low)
}

// allowed is how late the end of an outage of so many seconds may be noticed.
func (o *Outages) allowed(length float64) float64 {
	if o.config.Allowed != nil {
		return o.config.Allowed(time.Duration(length * float64(time.Second))).Seconds()
	}
	return o.config.Delay.Seconds() + o.config.Share*length
}

// delayAt makes the plan for a price and returns the mean delay over the
// outages that were really seen.
func (o *Outages) delayAt(m *outageModel, price float64) float64 {
	var cost [outageCells + 1]float64
	for i := outageCells - 1; i >= 0; i-- {
		best := math.Inf(1)
		for j := i + 1; j <= outageCells; j++ {
			late := (m.below[j]-m.below[i])*m.edge[j] - (m.moment[j] - m.moment[i])
			if late >= best {
				break // later probes only make it later
			}
			if c := late + (1-m.below[j])*price + cost[j]; c < best {
				best, o.next[i] = c, int16(j)
			}
		}
		cost[i] = best
	}
	delay, total := 0.0, 0.0
	probe := int(o.next[0])
	for i, w := range o.weight {
		for probe <= i {
			probe = int(o.next[probe])
		}
		delay += float64(w) * (m.edge[probe] - m.middle(i))
		total += float64(w)
	}
	return delay / total
}
