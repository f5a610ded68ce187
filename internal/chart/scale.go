package chart

import (
	"math"
	"slices"
)

// scale maps values to pixels.
type scale struct {
	min, max float64 // values at the two ends, min < max
	log      bool
	from, to float64 // pixels at the two ends
	ticks    []tick
}

// tick is a place on an axis that has a label.
type tick struct {
	at    float64
	label string
}

// shows reports whether a value has a place.
func (s *scale) shows(v float64) bool { return shown(v, s.log) }

// Values beyond these are not shown: their products leave what a float holds.
const tiny, huge = 1e-150, 1e150

func shown(v float64, log bool) bool {
	return math.Abs(v) <= huge && (!log || v >= tiny)
}

// place is the pixel of a value, never far outside the plot.
func (s *scale) place(v float64) float64 {
	share := (v - s.min) / (s.max - s.min)
	if s.log {
		share = (math.Log(v) - math.Log(s.min)) / (math.Log(s.max) - math.Log(s.min))
	}
	return s.from + min(max(share, -2), 3)*(s.to-s.from)
}

// inside reports whether a value lies between the ends.
func (s *scale) inside(v float64) bool { return s.shows(v) && v >= s.min && v <= s.max }

// fixed reports whether the range of the axis was given.
func (a *Axis) fixed() bool {
	return shown(a.Range[0], a.Log) && shown(a.Range[1], a.Log) && apart(a.Range[0], a.Range[1])
}

// apart reports whether there is room for ticks between two values.
func apart(low, high float64) bool {
	return high-low > 1e-9*max(math.Abs(low), math.Abs(high), tiny)
}

// extent is the range of values of an axis. Zero makes a linear axis show 0.
func (a *Axis) extent(values func(yield func(float64)), zero bool) (low, high float64) {
	if a.fixed() {
		return a.Range[0], a.Range[1]
	}
	low, high = math.Inf(1), math.Inf(-1)
	values(func(v float64) {
		if shown(v, a.Log) {
			low, high = min(low, v), max(high, v)
		}
	})
	if zero && !a.Log {
		low, high = min(low, 0), max(high, 0)
	}
	switch {
	case low > high && a.Log:
		return 1, 10
	case low > high:
		return 0, 1
	case apart(low, high):
		return low, high
	case a.Log:
		return low / 2, high * 2
	case math.Abs(low) <= tiny:
		return 0, 1
	}
	pad := math.Abs(low) / 2
	return low - pad, high + pad
}

// scaled makes the scale of an axis with about the given number of ticks. Ends
// that are not fixed are moved outwards to a tick if round is true.
func (a *Axis) scaled(low, high float64, ticks int, round bool) scale {
	s := scale{min: low, max: high, log: a.Log}
	var places []float64
	if a.Log {
		places = logTicks(low, high, ticks, a.Unit)
	} else {
		step := a.step((high-low)/float64(max(ticks, 1)), high)
		if round && !a.fixed() {
			s.min, s.max = math.Floor(low/step+1e-9)*step, math.Ceil(high/step-1e-9)*step
			if s.max <= s.min { // all values are next to one tick
				s.max = s.min + step
			}
		}
		places = multiples(s.min, s.max, step)
	}
	for _, v := range places {
		s.ticks = append(s.ticks, tick{v, a.Unit.write(v, a.widest(s.min, s.max))})
	}
	return s
}

// widest is the value that decides the unit of all labels: 0 where each label
// has its own.
func (a *Axis) widest(low, high float64) float64 {
	if a.Log {
		return 0
	}
	return max(math.Abs(low), math.Abs(high))
}

// step is the smallest round distance of ticks that is not below the least.
func (a *Axis) step(least, high float64) float64 {
	unit, rounds := 1.0, []float64{1, 2, 2.5, 5, 10}
	if a.Unit == Seconds {
		switch unit = axisSpan(high).seconds; unit {
		case 60:
			rounds = []float64{1, 2, 5, 10, 15, 20, 30, 60}
		case 3600:
			rounds = []float64{1, 2, 3, 4, 6, 12, 24}
		}
	}
	if a.Unit == Percent {
		unit = 0.01
	}
	least /= unit
	if a.Unit == Whole {
		least, rounds = max(least, 1), []float64{1, 2, 5, 10}
	}
	power := 1.0
	if least < 1 || least > rounds[len(rounds)-1] {
		rounds = []float64{1, 2, 5, 10}
		power = math.Pow(10, math.Floor(math.Log10(least)))
	}
	for _, r := range rounds {
		if r*power >= least*(1-1e-9) {
			return r * power * unit
		}
	}
	return 10 * power * unit
}

// multiples are those of step from low to high.
func multiples(low, high, step float64) []float64 {
	var all []float64
	first := math.Ceil(low/step - 1e-9)
	for i := 0.0; (first+i)*step <= high+step*1e-9 && i < 100; i++ {
		all = append(all, (first+i)*step)
	}
	return all
}

// logTicks are round values that are evenly spread over the logarithms.
func logTicks(low, high float64, most int, unit Unit) []float64 {
	if decades := math.Log10(high) - math.Log10(low); unit != Seconds && decades > float64(most) {
		return powers(low, high, math.Ceil(decades/float64(most)))
	}
	var best []float64
	for _, mantissas := range [][]float64{{1}, {1, 3}, {1, 2, 5}} {
		found := logValues(low, high, mantissas, unit)
		if best == nil || len(found) <= most+1 {
			best = found
		}
	}
	return fewer(best, most)
}

// powers of ten whose exponents are multiples of every.
func powers(low, high, every float64) []float64 {
	var all []float64
	for _, exponent := range multiples(math.Log10(low), math.Log10(high), every) {
		all = append(all, math.Pow(10, exponent))
	}
	return all
}

// fewer leaves out evenly what is more than can be labelled.
func fewer(all []float64, most int) []float64 {
	every := (len(all) + most) / (most + 1)
	var kept []float64
	for i := 0; i < len(all); i += max(every, 1) {
		kept = append(kept, all[i])
	}
	return kept
}

// logValues are the mantissas times powers of ten from low to high, of the time
// unit for seconds.
func logValues(low, high float64, mantissas []float64, unit Unit) []float64 {
	var all []float64
	add := func(v float64) {
		if v >= low*(1-1e-9) && v <= high*(1+1e-9) {
			all = append(all, v)
		}
	}
	if unit == Seconds && high > 60 {
		for _, u := range spans {
			for power := 1.0; power < u.next; power *= 10 {
				for _, m := range mantissas {
					if m*power < u.next {
						add(m * power * u.seconds)
					}
				}
			}
		}
		slices.Sort(all)
		return all
	}
	for power := math.Floor(math.Log10(low)); power <= math.Ceil(math.Log10(high)); power++ {
		for _, m := range mantissas {
			add(m * math.Pow(10, power))
		}
	}
	return all
}
