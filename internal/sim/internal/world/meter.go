package world

import "time"

// Meter counts what happens in bins of time.
type Meter struct {
	Width  time.Duration // of a bin
	Length time.Duration // of the run
	Bins   []Bin
	Spans  []Histogram // latencies of successful calls, per span bins
	All    Histogram

	InFlight, MostInFlight int
	Abandoned              int64 // attempts worked on for callers that had gone
	Retries                int64
	Denied                 [reasons]int64
	Trigger                Trigger
}

// Bin holds the counts of one stretch of time.
type Bin struct {
	Offered  int32 // calls begun
	Attempts int32 // attempts that reached the server
	Good     int32 // calls that ended well
	Failed   int32 // calls that ended badly
	InFlight int32 // most attempts that the server held at once
}

// Trigger is the time of the fault that a storm starts with.
type Trigger struct{ From, To time.Duration }

const (
	binWidth = 100 * time.Millisecond
	PerSpan  = 10 // bins that share a histogram
	MostBins = 20_000
)

// NewMeter is a meter with the finest bins.
func NewMeter() *Meter { return &Meter{Width: binWidth} }

func (m *Meter) bin(now time.Duration) *Bin {
	for now/m.Width >= MostBins {
		m.Coarsen()
	}
	i := int(now / m.Width)
	for i >= len(m.Bins) {
		m.Bins = append(m.Bins, Bin{InFlight: int32(m.InFlight)})
	}
	return &m.Bins[i]
}

// Coarsen makes every bin twice as wide, so that a run of any length fits.
func (m *Meter) Coarsen() {
	m.Width *= 2
	for i := range m.Bins {
		if i%2 == 0 {
			m.Bins[i/2] = m.Bins[i]
		} else {
			m.Bins[i/2].Add(m.Bins[i])
		}
	}
	m.Bins = m.Bins[:(len(m.Bins)+1)/2]
	for i := range m.Spans {
		if i%2 == 0 {
			m.Spans[i/2] = m.Spans[i]
		} else {
			m.Spans[i/2].merge(&m.Spans[i])
		}
	}
	m.Spans = m.Spans[:(len(m.Spans)+1)/2]
}

// Fit makes the bins so wide that there are at most so many spans.
func (m *Meter) Fit(spans int) {
	for m.Length > time.Duration(spans)*PerSpan*m.Width {
		m.Coarsen()
	}
}

// Offered counts a call that begins.
func (m *Meter) Offered(now time.Duration) { m.bin(now).Offered++ }

// Arrived counts an attempt at the server.
func (m *Meter) Arrived(now time.Duration, retry bool) {
	m.InFlight++
	m.MostInFlight = max(m.MostInFlight, m.InFlight)
	b := m.bin(now)
	b.Attempts++
	b.InFlight = max(b.InFlight, int32(m.InFlight))
	if retry {
		m.Retries++
	}
}

// Left counts an attempt that the server is rid of.
func (m *Meter) Left() { m.InFlight-- }

// Ended counts a call.
func (m *Meter) Ended(now time.Duration, c *Call) {
	b := m.bin(now)
	if !c.OK {
		b.Failed++
		m.Denied[c.End]++
		return
	}
	b.Good++
	took := now - c.Started
	m.All.Add(took)
	span := int(now / m.Width / PerSpan)
	for span >= len(m.Spans) {
		m.Spans = append(m.Spans, Histogram{})
	}
	m.Spans[span].Add(took)
}

// Finish fills bins up to the length of the run.
func (m *Meter) Finish(length time.Duration) {
	m.Length = length
	if length > 0 {
		m.bin(length - 1)
	}
}

// Total adds the bins from one time up to another; 0 for the end of the run.
func (m *Meter) Total(from, to time.Duration) Bin {
	var sum Bin
	for _, b := range m.Between(from, to) {
		sum.Add(b)
	}
	return sum
}

// Add adds another bin to this one.
func (b *Bin) Add(other Bin) {
	b.Offered += other.Offered
	b.Attempts += other.Attempts
	b.Good += other.Good
	b.Failed += other.Failed
	b.InFlight = max(b.InFlight, other.InFlight)
}

// Between are the bins from one time up to another; 0 for the end of the run.
func (m *Meter) Between(from, to time.Duration) []Bin {
	first, last := int(from/m.Width), len(m.Bins)
	if to > 0 {
		last = min(last, int(to/m.Width))
	}
	if first >= last {
		return nil
	}
	return m.Bins[first:last]
}

// Amplification is attempts at the server over calls offered.
func (m *Meter) Amplification(from, to time.Duration) float64 {
	sum := m.Total(from, to)
	return Ratio(sum.Attempts, sum.Offered)
}

// Peak is the highest amplification in any window of that length, beginning at any
// bin. Windows in which nothing was offered are left out.
func (m *Meter) Peak(window, from, to time.Duration) float64 {
	bins, width := m.Between(from, to), int(window/m.Width)
	attempts, offered, most := int32(0), int32(0), 0.0
	for i, b := range bins {
		attempts, offered = attempts+b.Attempts, offered+b.Offered
		if i >= width {
			attempts, offered = attempts-bins[i-width].Attempts, offered-bins[i-width].Offered
		}
		if i >= width-1 {
			most = max(most, Ratio(attempts, offered))
		}
	}
	return most
}

// Fullest is the most attempts in any window of that length, beginning at any bin.
func (m *Meter) Fullest(window, from, to time.Duration) float64 {
	bins, width := m.Between(from, to), int(window/m.Width)
	sum, most := int32(0), int32(0)
	for i, b := range bins {
		if sum += b.Attempts; i >= width {
			sum -= bins[i-width].Attempts
		}
		most = max(most, sum)
	}
	return float64(most)
}

// Never is a recovery that did not come.
const Never = time.Duration(-1)

// Recovery is how long after the trigger goodput is back: the first second from
// which on 90 % of what is offered ends well, in that second and in all the rest.
func (m *Meter) Recovery() time.Duration {
	per := int(time.Second / m.Width)
	if per == 0 {
		per = 1
	}
	end := len(m.Bins) / per * per
	var offered, good, found = int32(0), int32(0), -1
	for i := end - per; i >= int(m.Trigger.To/m.Width); i -= per {
		var sum Bin
		for _, b := range m.Bins[i : i+per] {
			sum.Add(b)
		}
		offered, good = offered+sum.Offered, good+sum.Good
		if Ratio(sum.Good, sum.Offered) >= 0.9 && Ratio(good, offered) >= 0.9 {
			found = i
		}
	}
	if found < 0 {
		return Never
	}
	return time.Duration(found)*m.Width - m.Trigger.To
}

// GoodFor reports whether in every second of the time before now 90 % of what was
// offered ended well.
func (m *Meter) GoodFor(now, long time.Duration) bool {
	for at := now - long; at < now; at += time.Second {
		if at < m.Trigger.To || m.Goodput(at, at+time.Second) < 0.9 {
			return false
		}
	}
	return true
}

// Goodput is the share of calls that ended well of those offered.
func (m *Meter) Goodput(from, to time.Duration) float64 {
	sum := m.Total(from, to)
	return Ratio(sum.Good, sum.Offered)
}

// Ratio is a over b, 0 when b is.
func Ratio(a, b int32) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Latency is that which 99 % of the calls that ended well in a time did not exceed,
// in seconds.
func (m *Meter) Latency(from, to time.Duration) float64 {
	var sum Histogram
	span := m.Width * PerSpan
	for at := int(from / span); at < min(int(to/span), len(m.Spans)); at++ {
		sum.merge(&m.Spans[at])
	}
	return sum.Quantile(0.99).Seconds()
}
