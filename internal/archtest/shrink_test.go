package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const offenders = "internal/archtest/offenders_test.go"

// sizes are what a name was measured to have: one number, or those of several
// things of it, such as circles.
type sizes []int

func (s sizes) equal(other sizes) bool { return slices.Equal(s, other) }

func (s sizes) String() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(s)), "[]"), " ", ", ")
}

// over returns the sizes beyond a budget, the largest first.
func (s sizes) over(budget int) sizes {
	var found sizes
	for _, n := range s {
		if n > budget {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b int) int { return b - a })
	return found
}

// within says whether nothing has grown: the largest of s is no larger than
// that of the list, the two largest together no larger than those, and so on.
// So a circle may fall into two, but two may not become one.
func (s sizes) within(listed sizes) bool {
	sum, bound := 0, 0
	for i, n := range s {
		sum += n
		if i < len(listed) {
			bound += listed[i]
		}
		if sum > bound {
			return false
		}
	}
	return true
}

// verdict is what has changed for one name since its numbers were listed.
type verdict int

const (
	same verdict = iota
	worse
	better
	gone
)

// compare judges the names that are over a budget or listed as such.
func compare(measured map[string]sizes, budget int, listed map[string]sizes) map[string]verdict {
	verdicts := make(map[string]verdict)
	for name := range listed {
		verdicts[name] = gone
	}
	for name, all := range measured {
		now := all.over(budget)
		switch was := listed[name]; {
		case len(now) == 0: // gone, if it was listed
		case !now.within(was):
			verdicts[name] = worse
		case now.equal(was):
			verdicts[name] = same
		default:
			verdicts[name] = better
		}
	}
	return verdicts
}

// complain fails for each name that has grown beyond its budget or beyond what
// is listed, and for each listed number that is higher than it need be.
func complain(t *testing.T, what string, measured map[string]sizes, budget int, listed map[string]sizes, advice func(name string) string) {
	t.Helper()
	verdicts := compare(measured, budget, listed)
	for _, name := range sorted(verdicts) {
		now, was := measured[name].over(budget), listed[name]
		switch verdicts[name] {
		case worse:
			allowed := fmt.Sprintf("the budget is %d", budget)
			if was != nil {
				allowed = fmt.Sprintf("%s lists %s, which may fall but not rise", offenders, was)
			}
			t.Errorf("%s has %s, and %s: %s", name, now, allowed, advice(name))
		case better:
			t.Errorf("%s has %s, fewer than the %s of %s: write the new number there", name, now, was, offenders)
		case gone:
			t.Errorf("%s is within the budget of %d %s, or gone: remove it from %s", name, budget, what, offenders)
		}
	}
}

// sorted returns the names of a map in order.
func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// The list can only shrink.
func TestListShrinks(t *testing.T) {
	for _, c := range []struct {
		name        string
		now, listed sizes
		want        verdict
	}{
		{"as listed", sizes{41}, sizes{41}, same},
		{"one more", sizes{42}, sizes{41}, worse},
		{"one fewer, and still too many", sizes{41}, sizes{42}, better},
		{"within the budget", sizes{40}, sizes{41}, gone},
		{"not there", nil, sizes{41}, gone},
		{"not listed", sizes{41}, nil, worse},
		{"two, in any order", sizes{50, 3, 60}, sizes{60, 50}, same},
		{"one fell into two", sizes{45, 55}, sizes{100}, better},
		{"two became one", sizes{100}, sizes{55, 45}, worse},
		{"a second one", sizes{50, 41}, sizes{50}, worse},
		{"the smaller one grew", sizes{50, 42}, sizes{50, 41}, worse},
		{"one fell, the other grew as much", sizes{50, 50}, sizes{55, 45}, better},
		{"one grew, the other fell as much", sizes{55, 45}, sizes{50, 50}, worse},
	} {
		t.Run(c.name, func(t *testing.T) {
			measured, listed := make(map[string]sizes), make(map[string]sizes)
			if c.now != nil {
				measured["x"] = c.now
			}
			if c.listed != nil {
				listed["x"] = c.listed
			}
			if found := compare(measured, 40, listed)["x"]; found != c.want {
				t.Errorf("judged %d, not %d", found, c.want)
			}
		})
	}
	if found := compare(map[string]sizes{"x": {40}}, 40, nil); len(found) > 0 {
		t.Errorf("what is within its budget and not listed was judged: %v", found)
	}
}
