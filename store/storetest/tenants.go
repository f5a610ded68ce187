package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// tenants is a harness whose queue "q" is what somebody may see, beside a queue "other"
// that shows in nothing.
type tenants struct {
	*harness
	lane uint16 // of the other queue
	at   time.Time
}

func newTenants(h *harness) *tenants {
	other := h.take("n1", h.queue("other", 1)...)
	h.queue("third", 1)
	h.lanes = append(h.lanes, other...)
	return &tenants{h, other[0].Lane, time.Now().Add(-time.Hour).Truncate(time.Second)}
}

// made gives a task the time of its creation, in ms after a time that is the same for both
// queues.
func (tt *tenants) made(ms int) func(*task.Task) {
	return func(t *task.Task) {
		t.ID = task.NewID(tt.at.Add(time.Duration(ms)*time.Millisecond), tt.random).WithLane(t.ID.Lane())
	}
}

func (tt *tenants) foreign(t *task.Task) { t.Queue, t.ID = "other", t.ID.WithLane(tt.lane) }

// some are tasks of a queue in every state, at times that begin with an offset.
func (tt *tenants) some(offset int, queue func(*task.Task)) {
	for i := range 12 {
		id := tt.add(queue, tt.made(offset+10*i), func(t *task.Task) {
			if t.Spec.Metadata = map[string]string{"customer": "acme"}; i%2 == 1 {
				t.Type, t.Target = "sms", "sms"
			}
			if i == 8 {
				t.Key = "k"
			}
		})
		switch i % 4 {
		case 1:
			tt.die(id, func(s *store.Settlement) {
				if i == 5 {
					s.DeadReason, s.Failure = task.Permanent, failure("throttled")
				}
			})
		case 2:
			tt.run(id, task.OutcomeSucceeded)
		case 3:
			tt.run(id, task.OutcomeFailed)
		}
	}
}

// asked are filters as callers ask them.
func (tt *tenants) asked() (filters []store.Filter) {
	filters = []store.Filter{
		{}, {Queue: "q"}, {Type: "sms"}, {Key: "k"}, {Metadata: map[string]string{"customer": "acme"}}, {Target: "sms"}, {Category: "down"},
		{Since: tt.at.Add(30 * time.Millisecond), Until: tt.at.Add(90 * time.Millisecond)}, {AttemptMin: 1}, {Fingerprint: failure("down").Fingerprint},
		{Reason: task.Permanent}, {DiedBefore: tt.at.Add(24 * time.Hour)}, {Live: true}, {Queue: "other"}, {Type: "nothing"},
		{State: task.Dead, Type: "sms", Fingerprint: failure("down").Fingerprint}, {Search: "sms"}, {Search: "nothing"}, {Search: "refused"},
	}
	for _, state := range task.States {
		filters = append(filters, store.Filter{State: state}, store.Filter{State: state, Queue: "q"})
	}
	return filters
}

// told is everything that the store tells of a filter, as text.
func (tt *tenants) told(filter store.Filter) (all []string) {
	tt.Helper()
	say := func(what string, value any, err error) {
		all = append(all, fmt.Sprintf("%s: %+v %v", what, value, err))
	}
	for _, limit := range []int{1, 5, 500} {
		for page := (store.Page{Limit: limit, Bare: true}); ; {
			tasks, next, err := tt.s.Find(tt.ctx, filter, page)
			ids := []task.ID{}
			for _, t := range tasks {
				ids = append(ids, t.ID)
			}
			say(fmt.Sprint("find ", limit), fmt.Sprint(ids, next), err)
			if page.Cursor = next; next == "" || err != nil {
				break
			}
		}
	}
	n, err := tt.s.Count(tt.ctx, filter, 100)
	say("count", n, err)
	n, err = tt.s.Count(tt.ctx, filter, 2)
	say("count to 2", n, err)
	letters, err := tt.s.Letters(tt.ctx, filter, task.ID{}, 3)
	say("letters", letters, err)
	groups, err := tt.s.DeadGroups(tt.ctx, filter, 10)
	say("groups", groups, err)
	parts, err := tt.s.DeadTrend(tt.ctx, filter, tt.at)
	slices.SortFunc(parts, func(a, b store.DeadPart) int { return slices.Compare([]byte(fmt.Sprint(a)), []byte(fmt.Sprint(b))) })
	say("trend", parts, err)
	return all
}

func tenantRules() []rule {
	return []rule{
		{"queues/others are as if there were none", "What a filter tells that is bound to queues is the same with and without tasks of other queues: pages, cursors, counts, letters, groups and trends.", func(h *harness) {
			tt := newTenants(h)
			tt.some(3, func(*task.Task) {})
			before := map[int][]string{}
			bounds := [][]string{{"q"}, {"q", "third"}}
			for i, filter := range tt.asked() {
				for n, queues := range bounds {
					filter.Queues = queues
					before[2*i+n] = tt.told(filter)
				}
			}
			tt.some(0, tt.foreign) // each a little older than one of the others
			tt.some(200, tt.foreign)
			for i, filter := range tt.asked() {
				for n, queues := range bounds {
					filter.Queues = queues
					after := tt.told(filter)
					h.expect(reflect.DeepEqual(after, before[2*i+n]), "%+v tells\n%s\nand with tasks of another queue\n%s", filter, before[2*i+n], after)
				}
			}
			tasks := h.find(store.Filter{Queues: []string{"q", "other"}}, 100)
			equal(h, "tasks of both queues", len(tasks), 36)
			n, err := h.s.Count(h.ctx, store.Filter{State: task.Dead, Queues: []string{"q", "other"}}, 100)
			h.ok(err)
			equal(h, "letters of both queues", n, 9)
			purged, err := h.s.Purge(h.ctx, store.Filter{Queues: []string{"q", "third"}}, 100)
			h.ok(err)
			equal(h, "purged", len(purged), 3)
			equal(h, "letters that are left", h.stats().Total, 6)
		}},
	}
}

// Windows checks that pages of a filter that is bound to queues are full, and the same,
// where more tasks of other queues lie between theirs than one look at the rows takes in.
func Windows(t *testing.T, s store.Backend) {
	tt := newTenants(newHarness(t, s, Abilities{}))
	tt.some(0, func(*task.Task) {})
	tt.some(20_000, func(*task.Task) {})
	filters := []store.Filter{{}, {State: task.Pending}, {Live: true}, {Search: "sms"}, {Search: "nothing"}, {State: task.Dead}, {Type: "sms"}, {Queue: "q"}}
	before := make([][]string, len(filters))
	for i := range filters {
		filters[i].Queues = []string{"q"}
		before[i] = tt.told(filters[i])
	}
	var foreign []*task.Task
	for i := range 6100 { // more than any store looks at at once
		foreign = append(foreign, tt.task(typed("sms"), tt.foreign, tt.made(1000+i)))
	}
	for some := range slices.Chunk(foreign, 1000) {
		tt.insert(some...)
	}
	for i, filter := range filters {
		if after := tt.told(filter); !reflect.DeepEqual(after, before[i]) {
			tt.Errorf("%+v tells\n%s\nand with tasks of another queue\n%s", filter, before[i], after)
		}
	}
}
