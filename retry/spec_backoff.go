package retry

import (
	"strings"
	"time"
)

// backoffKinds lists the keys that each kind of backoff uses.
var backoffKinds = []struct {
	kind string
	keys []string
}{
	{"exponential", []string{"initial", "multiplier", "max"}},
	{"fixed", []string{"initial"}},
	{"linear", []string{"initial", "step", "max"}},
	{"steps", []string{"steps", "max"}},
	{"fibonacci", []string{"initial", "max"}},
}

// backoff makes the backoff and its maximum, which is 0 when the backoff has it
// already.
func (s *BackoffSpec) backoff(f *findings, path string) (Backoff, time.Duration) {
	kind := s.Kind
	if kind == "" {
		kind = "exponential"
	}
	s.refuseUnused(f, path, kind)
	initial, limit := s.Initial.or(DefaultInitial), s.Max.or(0)
	switch kind {
	case "fixed":
		return fixed{initial}, 0
	case "linear":
		return linear{initial, s.Step.or(0), limit}, 0
	case "steps":
		delays := make([]time.Duration, len(s.Steps))
		for i, d := range s.Steps {
			delays[i] = time.Duration(d)
		}
		return Steps(delays...), limit
	case "fibonacci":
		return fibonacci{initial, limit}, 0
	default:
		multiplier := DefaultMultiplier
		if s.Multiplier != nil {
			multiplier = *s.Multiplier
		}
		return exponential{initial, multiplier, limit}, 0
	}
}

// refuseUnused refuses an unknown kind and keys that the kind does not use.
func (s *BackoffSpec) refuseUnused(f *findings, path, kind string) {
	var kinds []string
	for _, known := range backoffKinds {
		kinds = append(kinds, known.kind)
		if known.kind == kind {
			present := []struct {
				key string
				set bool
			}{
				{"initial", s.Initial != nil}, {"multiplier", s.Multiplier != nil}, {"max", s.Max != nil},
				{"step", s.Step != nil}, {"steps", s.Steps != nil},
			}
			for _, p := range present {
				if p.set && !strings.Contains(" "+strings.Join(known.keys, " ")+" ", " "+p.key+" ") {
					f.refuse(path+"."+p.key, "it uses "+strings.Join(known.keys, ", "), "kind %s does not use it", kind)
				}
			}
			return
		}
	}
	f.refuse(path+".kind", didYouMean(kind, kinds), "%q is none of %s", kind, strings.Join(kinds, ", "))
}

// jitter makes the jitter.
func (s *JitterSpec) jitter(f *findings, path string) Jitter {
	unused := func(key string, value *float64) {
		if value != nil {
			f.refuse(path+"."+key, "", "kind %s does not use it", s.Kind)
		}
	}
	wanted := func(key string, value *float64) float64 {
		if value == nil {
			f.refuse(path+"."+key, "for instance {kind: proportional, x: 0.1} or {kind: beta, from: 0.3, to: 0.7}",
				"is missing for kind %s", s.Kind)
			return 0.5
		}
		return *value
	}
	switch s.Kind {
	case "proportional", "additive":
		unused("from", s.From)
		unused("to", s.To)
		x := wanted("x", s.X)
		if s.Kind == "additive" {
			return Additive(x)
		}
		return Proportional(x)
	case "bounded", "beta":
		unused("x", s.X)
		from, to := wanted("from", s.From), wanted("to", s.To)
		if s.From == nil || s.To == nil {
			return FullJitter()
		}
		if s.Kind == "beta" {
			return Beta(from, to)
		}
		return Bounded(from, to)
	}
	unused("x", s.X)
	unused("from", s.From)
	unused("to", s.To)
	return plainJitter(f, path, s.Kind)
}

// plainJitter makes a jitter that has a name and no numbers.
func plainJitter(f *findings, path, kind string) Jitter {
	kinds := []string{"full", "equal", "decorrelated", "none", "proportional", "additive", "bounded", "beta"}
	switch kind {
	case "full":
		return FullJitter()
	case "equal":
		return EqualJitter()
	case "decorrelated":
		return Decorrelated()
	case "none":
		return NoJitter()
	}
	f.refuse(path, didYouMean(kind, kinds), "%q is none of %s", kind, strings.Join(kinds, ", "))
	return FullJitter()
}
