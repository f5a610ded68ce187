package plan

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Spread says how well a jitter keeps clients apart that failed at the same
// moment. X is the drawn share of the nominal delay d, φ(f) = E exp(2πifX) its
// transform. All is in closed form.
type Spread struct {
	// Kind is the jitter's name.
	Kind string
	// From and To are the bounds of X, Mean its mean.
	From, To, Mean float64
	// Peak is the highest density of X over its mean density on [0, To): 1 for an
	// even spread, infinite without jitter.
	Peak float64
	// Line is |φ(1)|², what is left of the synchronized beat of one wave of
	// retries, as a share of its power; WorstLine the largest at 1 to 5 beats per
	// nominal delay.
	Line, WorstLine float64
	// Coherence is |φ(1/mean)|²: how much synchrony one more retry leaves.
	Coherence float64
	// RetriesToApart is how many retries bring the synchrony below 1 %, at least 1:
	// ln 0.01/ln Coherence. It is infinite without jitter.
	RetriesToApart float64
}

// SpreadOf describes a jitter of package retry. For decorrelated jitter it is
// that of the first retry without a cap. It reports false for other jitters.
func SpreadOf(j retry.Jitter) (Spread, bool) {
	p, err := retry.New(retry.WithJitter(j), retry.Fixed(time.Second))
	if err != nil {
		return Spread{}, false
	}
	return scheduleOf(p).spread()
}

// spread describes the jitter of the first retry.
func (s *schedule) spread() (Spread, bool) {
	if s.form.Jitter == nil {
		return Spread{}, false
	}
	// A window of a power of two keeps the shares exact.
	const unit = time.Duration(1 << 40)
	low, high := s.jitter.Bounds(retry.Window{Nominal: unit, First: unit})
	sp := Spread{Kind: s.form.Jitter.Kind, From: share(low, unit), To: share(high, unit)}
	sp.Mean = (sp.From + sp.To) / 2
	transform := sinc
	if sp.Kind == "beta" {
		transform = betaTransform
	}
	width := sp.To - sp.From
	line := func(beats float64) float64 { return math.Pow(transform(beats*width), 2) }
	sp.Peak, sp.Line, sp.Coherence = math.Inf(1), line(1), line(1/sp.Mean)
	if width > 0 {
		sp.Peak = sp.To / width
	}
	if sp.Kind == "beta" {
		sp.Peak *= 1.5 // the density of Beta(2,2) at its middle
	}
	for beats := 1.0; beats <= 5; beats += 1.0 / 64 {
		sp.WorstLine = max(sp.WorstLine, line(beats))
	}
	sp.RetriesToApart = max(1, math.Log(0.01)/math.Log(min(sp.Coherence, 1)))
	if sp.Coherence == 1 {
		sp.RetriesToApart = math.Inf(1)
	}
	return sp, true
}

// share is a part of the unit with the twelve digits that rounding leaves.
func share(d, unit time.Duration) float64 {
	return math.Round(float64(d)/float64(unit)*1e12) / 1e12
}

// sinc is the size of the transform of an even distribution of width 1 at f:
// sin(πf)/(πf).
func sinc(f float64) float64 {
	if f == 0 {
		return 1
	}
	if f == math.Trunc(f) {
		return 0
	}
	return math.Sin(math.Pi*f) / (math.Pi * f)
}

// betaTransform is the size of the transform of Beta(2,2) at f:
// 12·(2 sin(t/2) − t cos(t/2))/t³ with t = 2πf.
func betaTransform(f float64) float64 {
	t := 2 * math.Pi * f
	if t < 1e-2 {
		return 1 - t*t/40
	}
	return 12 * (2*math.Sin(t/2) - t*math.Cos(t/2)) / (t * t * t)
}
