package sealed_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
)

// A batch whose parts were accepted under different keys is the same for whoever
// sends it again, whole or in parts, under any of them.
func TestRepeatedBatch(t *testing.T) {
	b := newBench(t)
	ways := []*sealed.Store{b.seal(sealed.Keys{}), b.seal(twoKeys("k1")), b.seal(twoKeys("k2"))}
	var all []store.Insert
	for n, s := range ways {
		keyed, plain := b.task(`1`), b.task(`2`)
		keyed.Spec.DedupeKey = string(rune('a' + n))
		items := []store.Insert{
			{Task: keyed, Dedupe: &store.Dedupe{Lane: b.lanes[0].Lane, Key: keyed.Spec.DedupeKey, Window: time.Hour, Content: [16]byte{byte(n)}}},
			{Task: plain},
		}
		b.insert(s, items...)
		all = append(all, items...)
	}
	byKey := make([]store.Insert, len(all))
	for i, item := range all {
		copied := *item.Task
		if item.Dedupe != nil {
			copied.ID = b.task("").ID
		}
		byKey[i] = store.Insert{Task: &copied, Dedupe: item.Dedupe}
	}
	for n, s := range ways[1:] {
		for what, items := range map[string][]store.Insert{"by id": all, "by key": byKey} {
			for name, insert := range b.ways(s) {
				for i, got := range insert(append(items, store.Insert{Task: b.task(`3`)})...) {
					if i < len(all) && (got.Existing == nil || got.Existing.ID != all[i].Task.ID) {
						t.Errorf("under k%d, %s, %s, item %d: %+v", n+1, name, what, i, got)
					}
				}
			}
		}
	}
}
