package main

import (
	"encoding/json"
	"slices"
	"time"
)

// point is a value at a time in seconds. In JSON it is a pair.
type point struct{ at, value float64 }

func (p point) MarshalJSON() ([]byte, error) { return json.Marshal([2]float64{p.at, p.value}) }

func (p *point) UnmarshalJSON(text []byte) error {
	var pair [2]float64
	err := json.Unmarshal(text, &pair)
	*p = point{pair[0], pair[1]}
	return err
}

// series records what a repetition showed over time; the value is the last one.
// Of several repetitions the last one's course is kept.
func (s *session) series(name string, points []point, unit string, set settings) {
	if len(points) == 0 {
		return
	}
	s.record(name, points[len(points)-1].value, unit, len(points), "", set)
	s.figureOf(s.system.name(), name).Series = points
}

// mean is that of the values after one time and up to another.
func mean(points []point, from, to time.Duration) float64 {
	sum, count := 0.0, 0
	for _, p := range points {
		if p.at > from.Seconds() && p.at <= to.Seconds() {
			sum, count = sum+p.value, count+1
		}
	}
	if count == 0 {
		return 0
	}
	return sum / float64(count)
}

// growth compares the median of the last third with that of the first.
func growth(points []point) float64 {
	third := len(points) / 3
	if third == 0 {
		return 1
	}
	return middle(points[len(points)-third:]) / middle(points[:third])
}

func middle(points []point) float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.value
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func top(points []point) (most float64) {
	for _, p := range points {
		most = max(most, p.value)
	}
	return most
}
