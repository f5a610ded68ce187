// Package inspection plans when to look whether an outage is over, from how long those
// before it have lasted.
//
// It is an inspection plan in the sense of Barlow, Hunter and Proschan ("Optimum Checking
// Procedures", 1963): each failed probe costs a price, each second for which an ended
// outage is not noticed costs one. The plan with the least expected cost is found by
// dynamic programming over a histogram of lengths.
package inspection

import "math"

// The lengths of outages are kept in cells of equal width on a logarithmic
// scale: 16 cells to a doubling, from a quarter of a second to 36 hours.
const (
	shortest = 0.25 // seconds
	fineness = 16
	cells    = 19 * fineness
)

const (
	// fade is what remains of an outage's weight at each later one: the
	// last fifty count for nearly two thirds.
	fade = 0.98
	// prior is the weight of outages that were never seen, spread evenly over
	// all cells, so that no length is thought impossible.
	prior = 2.0
	// needed is how many outages must be known before they are trusted.
	needed = 5
)

// History is what is known of the outages of one target, and the plan that follows.
// The zero value knows nothing. It is not safe for concurrent use.
type History struct {
	weight []float32 // by cell; nil before the first outage
	known  int
	next   []int16 // by edge of the last failed probe: the edge of the next
}

// Known is how many outages have been observed.
func (h *History) Known() int { return h.known }

// Observe adds an outage that had lasted longer than after when the last probe failed,
// and had ended when a probe succeeded after by, both in seconds. Allowed is how late the
// end of an outage of so many seconds may be noticed. It takes some hundred microseconds.
func (h *History) Observe(after, by float64, allowed func(length float64) float64) {
	if h.weight == nil {
		h.weight = make([]float32, cells)
		h.next = make([]int16, cells)
	}
	for i := range h.weight {
		h.weight[i] *= fade
	}
	h.spread(after, by)
	if h.known++; h.known >= needed {
		h.plan(allowed)
	}
}

// Ready reports whether enough is known for a plan.
func (h *History) Ready() bool { return h.known >= needed }

// Next is how long to wait before the next probe of an outage that has lasted for so many
// seconds already; false for one that is longer than any of which something is known. It
// wants Ready.
func (h *History) Next(elapsed float64) (wait float64, planned bool) {
	at := index(elapsed)
	if at >= cells {
		return 0, false
	}
	return max(edge(int(h.next[at]))-elapsed, shortest/2), true
}

// spread adds weight 1 to the cells between two lengths, in proportion to what
// each has in common with the interval: where in it the outage ended is not
// known.
func (h *History) spread(after, by float64) {
	by = max(by, shortest)
	after = min(max(after, 0), by*0.999)
	last := edge(cells - 1)
	if after >= last {
		h.weight[cells-1]++
		return
	}
	by = min(by, edge(cells))
	low := 0.0
	for i := range h.weight {
		high := edge(i + 1)
		if common := min(high, by) - max(low, after); common > 0 {
			h.weight[i] += float32(common / (by - after))
		}
		low = high
	}
}

// edge is the lower edge of cell i, in seconds; the one of cell 0 is 0.
func edge(i int) float64 {
	if i <= 0 {
		return 0
	}
	return shortest * math.Exp2(float64(i)/fineness)
}

// index is the edge nearest to a length.
func index(seconds float64) int {
	if seconds <= shortest {
		return 0
	}
	return int(math.Round(fineness * math.Log2(seconds/shortest)))
}

// distribution is the distribution of lengths as prefix sums over the cells.
type distribution struct {
	edge   [cells + 1]float64
	below  [cells + 1]float64 // share of outages that end before the edge
	moment [cells + 1]float64 // sum of share · length up to the edge
}

func (h *History) model() *distribution {
	m := &distribution{}
	total := prior
	for _, w := range h.weight {
		total += float64(w)
	}
	for i, w := range h.weight {
		share := (float64(w) + prior/cells) / total
		m.edge[i+1] = edge(i + 1)
		m.below[i+1] = m.below[i] + share
		m.moment[i+1] = m.moment[i] + share*m.middle(i)
	}
	return m
}

// middle is the middle of a cell.
func (m *distribution) middle(i int) float64 { return (m.edge[i] + m.edge[i+1]) / 2 }

// plan fills next for the highest price at which the delay is within bounds.
func (h *History) plan(allowed func(length float64) float64) {
	m := h.model()
	most, total := 0.0, 0.0
	for i, w := range h.weight {
		if w > 0 {
			most += float64(w) * allowed(m.middle(i))
			total += float64(w)
		}
	}
	most /= total
	low, high := 1e-3, 1e4
	for high/low > 1.05 {
		price := math.Sqrt(low * high)
		if h.delayAt(m, price) > most {
			high = price
		} else {
			low = price
		}
	}
	h.delayAt(m, low)
}

// delayAt makes the plan for a price and returns the mean delay over the
// outages that were really seen.
func (h *History) delayAt(m *distribution, price float64) float64 {
	var cost [cells + 1]float64
	for i := cells - 1; i >= 0; i-- {
		best := math.Inf(1)
		for j := i + 1; j <= cells; j++ {
			late := (m.below[j]-m.below[i])*m.edge[j] - (m.moment[j] - m.moment[i])
			if late >= best {
				break // later probes only make it later
			}
			if c := late + (1-m.below[j])*price + cost[j]; c < best {
				best, h.next[i] = c, int16(j)
			}
		}
		cost[i] = best
	}
	delay, total := 0.0, 0.0
	probe := int(h.next[0])
	for i, w := range h.weight {
		for probe <= i {
			probe = int(h.next[probe])
		}
		delay += float64(w) * (m.edge[probe] - m.middle(i))
		total += float64(w)
	}
	return delay / total
}
