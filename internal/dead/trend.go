package dead

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostParts is how many targets and releases are told apart.
const mostParts = 20

// TrendSince is where the trend begins that is read at a time.
func TrendSince(now time.Time) time.Time {
	return now.UTC().Truncate(time.Hour).Add(-(inspect.TrendHours - 1) * time.Hour)
}

// Trends puts parts together by fingerprint. releases are those of nodes.
func Trends(parts []store.DeadPart, since time.Time, releases map[string]string) map[string]*inspect.Trend {
	all := map[string]*inspect.Trend{}
	for i := range parts {
		p := &parts[i]
		t := all[p.Fingerprint]
		if t == nil {
			t = &inspect.Trend{Since: since, ByReason: map[string]int{}, ByTarget: map[string]int{}, ByRelease: map[string]int{}}
			all[p.Fingerprint] = t
		}
		t.Counted += p.Count
		if hour := p.Hour - since.Unix()/3600; p.Hour == 0 || hour < 0 {
			t.Before += p.Count
		} else {
			t.Hours[min(hour, inspect.TrendHours-1)] += p.Count // a clock that is ahead
		}
		t.ByReason[string(p.Reason)] += p.Count
		t.ByTarget[p.Target] += p.Count
		t.ByRelease[releaseOf(p.Node, releases)] += p.Count
	}
	for _, t := range all {
		t.ByTarget, t.ByRelease = largest(t.ByTarget), largest(t.ByRelease)
	}
	return all
}

func releaseOf(holder string, releases map[string]string) string {
	node, _, own := task.Runner(holder)
	release, known := releases[node]
	if own != "" {
		return own // of a worker
	}
	if !known {
		return "(unknown)"
	}
	return cmp.Or(release, "(none)")
}

// largest counts all but the largest together.
func largest(counts map[string]int) map[string]int {
	if len(counts) <= mostParts {
		return counts
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	kept := map[string]int{}
	for i, name := range names {
		if i < mostParts {
			kept[name] = counts[name]
		} else {
			kept["(other)"] += counts[name]
		}
	}
	return kept
}
