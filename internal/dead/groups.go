package dead

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// MostGroups is how many groups a store finds at most where there is a filter: so many
// letters it looks at.
const MostGroups = 4000

// Together puts the groups of several queues together by fingerprint, the largest first.
// What a group tells of its last letter is of the one that died last in any of them.
func Together(parts []store.DeadGroup) []store.DeadGroup {
	groups := make(map[string]store.DeadGroup, len(parts))
	for _, part := range parts {
		if known, ok := groups[part.Fingerprint]; ok {
			part = join(known, part)
		}
		groups[part.Fingerprint] = part
	}
	return slices.SortedFunc(maps.Values(groups), func(a, b store.DeadGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
}

func join(a, b store.DeadGroup) store.DeadGroup {
	if b.LastSeen.After(a.LastSeen) {
		a, b = b, a
	}
	a.Count += b.Count
	if b.FirstSeen.Before(a.FirstSeen) {
		a.FirstSeen = b.FirstSeen
	}
	return a
}
