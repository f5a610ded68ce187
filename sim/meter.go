package sim

import "time"

// meter counts what happens in bins of time.
type meter struct {
	width  time.Duration // of a bin
	length time.Duration // of the run
	bins   []bin
	spans  []histogram // latencies of successful calls, per span bins
	all    histogram

	inFlight, mostInFlight int
	abandoned              int64 // attempts worked on for callers that had gone
	retries                int64
	denied                 [reasons]int64
	trigger                trigger
}

// bin holds the counts of one stretch of time.
type bin struct {
	offered  int32 // calls begun
	attempts int32 // attempts that reached the server
	good     int32 // calls that ended well
	failed   int32 // calls that ended badly
	inFlight int32 // most attempts that the server held at once
}

// trigger is the time of the fault that a storm starts with.
type trigger struct{ from, to time.Duration }

const (
	binWidth = 100 * time.Millisecond
	perSpan  = 10 // bins that share a histogram
	mostBins = 20_000
)

func newMeter() *meter { return &meter{width: binWidth} }

func (m *meter) bin(now time.Duration) *bin {
	for now/m.width >= mostBins {
		m.coarsen()
	}
	i := int(now / m.width)
	for i >= len(m.bins) {
		m.bins = append(m.bins, bin{inFlight: int32(m.inFlight)})
	}
	return &m.bins[i]
}

// coarsen makes every bin twice as wide, so that a run of any length fits.
func (m *meter) coarsen() {
	m.width *= 2
	for i := range m.bins {
		if i%2 == 0 {
			m.bins[i/2] = m.bins[i]
		} else {
			m.bins[i/2].add(m.bins[i])
		}
	}
	m.bins = m.bins[:(len(m.bins)+1)/2]
	for i := range m.spans {
		if i%2 == 0 {
			m.spans[i/2] = m.spans[i]
		} else {
			m.spans[i/2].merge(&m.spans[i])
		}
	}
	m.spans = m.spans[:(len(m.spans)+1)/2]
}

func (m *meter) offered(now time.Duration) { m.bin(now).offered++ }

// arrived counts an attempt at the server.
func (m *meter) arrived(now time.Duration, retry bool) {
	m.inFlight++
	m.mostInFlight = max(m.mostInFlight, m.inFlight)
	b := m.bin(now)
	b.attempts++
	b.inFlight = max(b.inFlight, int32(m.inFlight))
	if retry {
		m.retries++
	}
}

// left counts an attempt that the server is rid of.
func (m *meter) left() { m.inFlight-- }

// ended counts a call.
func (m *meter) ended(now time.Duration, c *call) {
	b := m.bin(now)
	if !c.ok {
		b.failed++
		m.denied[c.end]++
		return
	}
	b.good++
	took := now - c.started
	m.all.add(took)
	span := int(now / m.width / perSpan)
	for span >= len(m.spans) {
		m.spans = append(m.spans, histogram{})
	}
	m.spans[span].add(took)
}

// finish fills bins up to the length of the run.
func (m *meter) finish(length time.Duration) {
	m.length = length
	if length > 0 {
		m.bin(length - 1)
	}
}

// total adds the bins from one time up to another; 0 for the end of the run.
func (m *meter) total(from, to time.Duration) bin {
	var sum bin
	for _, b := range m.between(from, to) {
		sum.add(b)
	}
	return sum
}

func (b *bin) add(other bin) {
	b.offered += other.offered
	b.attempts += other.attempts
	b.good += other.good
	b.failed += other.failed
	b.inFlight = max(b.inFlight, other.inFlight)
}

func (m *meter) between(from, to time.Duration) []bin {
	first, last := int(from/m.width), len(m.bins)
	if to > 0 {
		last = min(last, int(to/m.width))
	}
	if first >= last {
		return nil
	}
	return m.bins[first:last]
}

// amplification is attempts at the server over calls offered.
func (m *meter) amplification(from, to time.Duration) float64 {
	sum := m.total(from, to)
	return ratio(sum.attempts, sum.offered)
}

// peak is the highest amplification in any window of that length, beginning at any
// bin. Windows in which nothing was offered are left out.
func (m *meter) peak(window, from, to time.Duration) float64 {
	bins, width := m.between(from, to), int(window/m.width)
	attempts, offered, most := int32(0), int32(0), 0.0
	for i, b := range bins {
		attempts, offered = attempts+b.attempts, offered+b.offered
		if i >= width {
			attempts, offered = attempts-bins[i-width].attempts, offered-bins[i-width].offered
		}
		if i >= width-1 {
			most = max(most, ratio(attempts, offered))
		}
	}
	return most
}

// fullest is the most attempts in any window of that length, beginning at any bin.
func (m *meter) fullest(window, from, to time.Duration) float64 {
	bins, width := m.between(from, to), int(window/m.width)
	sum, most := int32(0), int32(0)
	for i, b := range bins {
		if sum += b.attempts; i >= width {
			sum -= bins[i-width].attempts
		}
		most = max(most, sum)
	}
	return float64(most)
}

// never is a recovery that did not come.
const never = time.Duration(-1)

// recovery is how long after the trigger goodput is back: the first second from
// which on 90 % of what is offered ends well, in that second and in all the rest.
func (m *meter) recovery() time.Duration {
	per := int(time.Second / m.width)
	if per == 0 {
		per = 1
	}
	end := len(m.bins) / per * per
	var offered, good, found = int32(0), int32(0), -1
	for i := end - per; i >= int(m.trigger.to/m.width); i -= per {
		var sum bin
		for _, b := range m.bins[i : i+per] {
			sum.add(b)
		}
		offered, good = offered+sum.offered, good+sum.good
		if ratio(sum.good, sum.offered) >= 0.9 && ratio(good, offered) >= 0.9 {
			found = i
		}
	}
	if found < 0 {
		return never
	}
	return time.Duration(found)*m.width - m.trigger.to
}

// goodFor reports whether in every second of the time before now 90 % of what was
// offered ended well.
func (m *meter) goodFor(now, long time.Duration) bool {
	for at := now - long; at < now; at += time.Second {
		if at < m.trigger.to || m.goodput(at, at+time.Second) < 0.9 {
			return false
		}
	}
	return true
}

// goodput is the share of calls that ended well of those offered.
func (m *meter) goodput(from, to time.Duration) float64 {
	sum := m.total(from, to)
	return ratio(sum.good, sum.offered)
}

func ratio(a, b int32) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// latency is that which 99 % of the calls that ended well in a time did not exceed,
// in seconds.
func (m *meter) latency(from, to time.Duration) float64 {
	var sum histogram
	span := m.width * perSpan
	for at := int(from / span); at < min(int(to/span), len(m.spans)); at++ {
		sum.merge(&m.spans[at])
	}
	return sum.quantile(0.99).Seconds()
}
