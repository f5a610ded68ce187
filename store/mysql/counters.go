package mysql

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store/internal/stored"
)

const (
	// addCounts adds to counters, which everyone locks in the order of their
	// names.
	addCounts     = `INSERT INTO outlast_dead_count (kind, name, total) VALUES `
	addCountsOver = ` ON DUPLICATE KEY UPDATE total = total + VALUES(total)`

	dropEmptyCounts = `DELETE FROM outlast_dead_count WHERE kind = ? AND name = ? AND total = 0`

	// addGroups adds letters of one fingerprint to their group; what it shows
	// of the newest is that of the last of them.
	addGroups     = `INSERT INTO outlast_dead_group (fingerprint, total, type, reason, category, message, first_seen, last_seen, example) VALUES `
	addGroupsOver = ` ON DUPLICATE KEY UPDATE total = total + VALUES(total), reason = VALUES(reason), message = VALUES(message), example = VALUES(example),
 last_seen = GREATEST(last_seen, VALUES(last_seen)), first_seen = LEAST(first_seen, VALUES(first_seen))`

	lowerGroup     = `UPDATE outlast_dead_group SET total = total - ? WHERE fingerprint = ?`
	dropEmptyGroup = `DELETE FROM outlast_dead_group WHERE fingerprint = ? AND total <= 0`

	// replaceExample gives a group another example when its own is gone. Runs
	// after the letters were deleted, with the group's row locked.
	replaceExample = `UPDATE outlast_dead_group g SET example =
 COALESCE((SELECT d.id FROM outlast_dead d WHERE d.fingerprint = g.fingerprint ORDER BY d.id DESC LIMIT 1), example)
WHERE fingerprint = ? AND NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = g.example)`
)

// counterName names a counter of dead letters.
type counterName [2]string // kind, name

func (c counterName) compare(other counterName) int {
	return cmp.Or(cmp.Compare(c[0], other[0]), cmp.Compare(c[1], other[1]))
}

// tally is how many of the letters each counter and each group has.
func tally(letters []stored.Letter) (counts map[counterName]int, groups map[string][]stored.Letter) {
	counts, groups = map[counterName]int{}, map[string][]stored.Letter{}
	for _, l := range letters {
		for _, c := range l.Counters() {
			counts[c]++
		}
		groups[l.Fingerprint] = append(groups[l.Fingerprint], l)
	}
	return counts, groups
}

// addCounts adds counts times n to the counters, in order.
func (tx *tx) addCounts(counts map[counterName]int, n int) error {
	into := insertion{on: tx.session, head: addCounts, tail: addCountsOver}
	for _, c := range slices.SortedFunc(maps.Keys(counts), counterName.compare) {
		if err := into.add(c[0], c[1], n*counts[c]); err != nil {
			return err
		}
	}
	return into.flush()
}

// count adds new letters to the counters and groups.
func (tx *tx) count(letters []stored.Letter) error {
	counts, groups := tally(letters)
	if err := tx.addCounts(counts, 1); err != nil {
		return err
	}
	into := insertion{on: tx.session, head: addGroups, tail: addGroupsOver}
	for _, fingerprint := range slices.Sorted(maps.Keys(groups)) {
		group := groups[fingerprint]
		last, first, newest := group[len(group)-1], group[0].At, group[0].At
		for _, l := range group {
			first, newest = min(first, l.At), max(newest, l.At)
		}
		if err := into.add(fingerprint, len(group), last.Type, last.Reason, last.Category, last.Message, first, newest, last.ID); err != nil {
			return err
		}
	}
	return into.flush()
}

// uncount takes letters that were deleted out of the counters and groups.
func (tx *tx) uncount(letters []stored.Letter) error {
	if len(letters) == 0 {
		return nil
	}
	counts, groups := tally(letters)
	if err := tx.addCounts(counts, -1); err != nil {
		return err
	}
	for _, c := range slices.SortedFunc(maps.Keys(counts), counterName.compare) {
		if _, err := tx.exec(dropEmptyCounts, c[0], c[1]); err != nil {
			return err
		}
	}
	for _, fingerprint := range slices.Sorted(maps.Keys(groups)) {
		if _, err := tx.exec(lowerGroup, len(groups[fingerprint]), fingerprint); err != nil {
			return err
		}
		for _, query := range [...]string{dropEmptyGroup, replaceExample} {
			if _, err := tx.exec(query, fingerprint); err != nil {
				return err
			}
		}
	}
	return nil
}
