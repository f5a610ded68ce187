package main

import "slices"

// The verdicts of a rule.
const (
	ok       = "ok"
	broken   = "broken"
	notTried = "not tried"
)

// finding is what was found of a rule.
type finding struct {
	rule
	Verdict string   `json:"verdict"`
	Seen    []string `json:"seen,omitempty"`
}

// findings are what one scenario has found, or all of them.
type findings struct {
	worker string // name of the process
	output string // the end of what it wrote, where a rule is broken
	of     map[string]*finding
}

func newFindings() *findings { return &findings{of: map[string]*finding{}} }

func (f *findings) rule(id string) *finding {
	found := f.of[id]
	if found == nil {
		rule, _ := ruleOf(id)
		found = &finding{rule: rule, Verdict: notTried}
		f.of[id] = found
	}
	return found
}

func (f *findings) ok(id string) {
	if one := f.rule(id); one.Verdict == notTried {
		one.Verdict, one.Seen = ok, nil
	}
}

func (f *findings) skip(id, why string) {
	if one := f.rule(id); one.Verdict == notTried {
		one.Seen = []string{why}
	}
}

func (f *findings) fail(id, seen string) {
	one := f.rule(id)
	if one.Verdict != broken {
		one.Verdict, one.Seen = broken, nil
	}
	if !slices.Contains(one.Seen, seen) {
		one.Seen = append(one.Seen, seen)
	}
}

// add adds what another scenario has found.
func (f *findings) add(other *findings, scenario string) {
	for id, one := range other.of {
		switch one.Verdict {
		case ok:
			f.ok(id)
		case broken:
			for _, seen := range one.Seen {
				f.fail(id, scenario+": "+seen)
			}
		default:
			for _, why := range one.Seen {
				f.skip(id, why)
			}
		}
	}
}

// broken reports whether a rule is broken.
func (f *findings) broken() bool {
	for _, one := range f.of {
		if one.Verdict == broken {
			return true
		}
	}
	return false
}

// list is in the order of the rules.
func (f *findings) list(only []string) (out []finding) {
	for _, rule := range rules {
		if len(only) == 0 || slices.Contains(only, rule.ID) {
			out = append(out, *f.rule(rule.ID))
		}
	}
	return out
}
