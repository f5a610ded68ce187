package storetest

import (
	"bytes"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func queryRules() []rule {
	return []rule{
		{"get/in every table", "Get returns a task whatever its state and table; not found when there is none.", func(h *harness) {
			ids := h.addMany(5)
			h.claim(ids[1])
			h.run(ids[2], task.OutcomeSucceeded)
			h.die(ids[3])
			h.run(ids[4], task.OutcomeCanceled)
			for i, want := range task.States {
				got := h.state(ids[i], want)
				h.expect(got.Queue == "q" && got.Type == "mail" && got.Target == "mail" && len(got.Payload) > 0 && got.Priority == task.DefaultPriority, "got %+v", got)
			}
			h.absent(h.task().ID)
			_, err := h.s.Attempts(h.ctx, h.task().ID)
			h.code(err, task.CodeNotFound)
			equal(h, "attempts of a task never run", len(h.attempts(ids[0])), 0)
		}},
		{"get/ended tasks are whole", "An ended task has everything that it was enqueued with.", func(h *harness) {
			for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeDead, task.OutcomeCanceled} {
				given := h.task(keyed("k-"+string(outcome)), func(t *task.Task) { t.Spec, t.Policy, t.Priority = fullSpec(h), "p", 9 })
				h.insert(given)
				before := h.get(given.ID)
				h.run(given.ID, outcome)
				got := h.get(given.ID)
				h.sameSpec(got.Spec, given.Spec)
				h.expect(got.Policy == "p" && got.Priority == 9 && got.Key == given.Key && got.Seq == before.Seq && got.CreatedAt.Equal(before.CreatedAt) &&
					got.RunAt.Equal(before.RunAt), "%s: %+v became %+v", outcome, before, got)
			}
		}},
		{"find/filters", "Zero fields of a filter do not filter; each other field does, and all must match.", checkFilters},
		{"find/texts of other alphabets", "A search finds a message by its own text whatever letters it has, and not by one with other letters in their place.", func(h *harness) {
			found := map[string]task.ID{}
			for _, text := range []string{"stra\u1e9ee", "straße", "\u212aelvin", "kelvin", "\u0130stanbul", "istanbul", "café", "cafe ", "cafe\u0301", "100 \U0001f600", "o'neil\\", "a_b%"} {
				found[text] = h.add()
				failed := settlement(h.claimOne(found[text]), task.OutcomeFailed)
				failed.Failure.Message = "<" + text + ">"
				h.settle(failed)
			}
			for text, id := range found {
				h.ids(h.find(store.Filter{Search: "<" + text + ">"}, 50), id)
				n, err := h.s.Count(h.ctx, store.Filter{Search: "<" + text + ">"}, 50)
				h.expect(err != nil || n == 1, "%d are counted by %q", n, text) // a store that seals messages says so
			}
		}},
		{"find/time of creation", "Since and Until bound the time of the id.", func(h *harness) {
			at := func(ago time.Duration) func(*task.Task) {
				return func(t *task.Task) { t.ID = task.NewID(time.Now().Add(-ago), h.random).WithLane(t.ID.Lane()) }
			}
			old, middle, young := h.add(at(3*time.Hour)), h.add(at(2*time.Hour)), h.add(at(time.Hour))
			since, until := time.Now().Add(-150*time.Minute), time.Now().Add(-90*time.Minute)
			h.ids(h.find(store.Filter{Since: since}, 10), middle, young)
			h.ids(h.find(store.Filter{Until: until}, 10), old, middle)
			h.ids(h.find(store.Filter{Since: since, Until: until}, 10), middle)
		}},
		{"find/died before", "DiedBefore selects dead letters that died before the time, and nothing else.", func(h *harness) {
			early := h.add()
			h.die(early)
			h.pass(5 * time.Millisecond)
			late := h.add()
			h.die(late)
			h.run(h.add(), task.OutcomeSucceeded)
			h.add()
			h.ids(h.find(store.Filter{DiedBefore: h.get(late).FinishedAt}, 10), early)
			h.ids(h.find(store.Filter{DiedBefore: h.get(late).FinishedAt.Add(time.Hour)}, 10), early, late)
		}},
		{"count/no further than limit", "Count returns how many tasks match, counting no further than limit.", func(h *harness) {
			h.addMany(7)
			h.run(h.add(), task.OutcomeSucceeded)
			for limit, want := range map[int]int{100: 7, 7: 7, 3: 3} {
				n, err := h.s.Count(h.ctx, store.Filter{State: task.Pending}, limit)
				h.ok(err)
				equal(h, "count", n, want)
			}
			n, err := h.s.Count(h.ctx, store.Filter{}, 100)
			h.ok(err)
			equal(h, "count of all", n, 8)
		}},
		{"check/nothing is wrong", "Check returns nothing when all is well.", func(h *harness) {
			h.die(h.add(keyed("k")))
			h.claim(h.add(), h.add())
			wrong, err := h.s.Check(h.ctx)
			h.ok(err)
			h.expect(len(wrong) == 0, "%v", wrong)
		}},
	}
}

func checkFilters(h *harness) {
	lane := h.queue("other", 1)[0].Lane
	plain := h.add()
	sms := h.add(typed("sms"))
	elsewhere := h.add(func(t *task.Task) { t.Queue, t.ID = "other", t.ID.WithLane(lane) })
	withKey := h.add(keyed("k"))
	traced := h.add(func(t *task.Task) { t.Spec.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" })
	failed := h.add()
	h.run(failed, task.OutcomeFailed)
	dead := h.add(typed("sms"))
	h.die(dead, func(s *store.Settlement) { s.DeadReason, s.Failure = task.Permanent, failure("permanent") })
	exhausted := h.add()
	h.die(exhausted)
	succeeded := h.add()
	h.run(succeeded, task.OutcomeSucceeded)
	running := h.add()
	h.claim(running)
	canceled := h.add()
	h.run(canceled, task.OutcomeCanceled)
	aimed := h.add(func(t *task.Task) { t.Target, t.Spec.Metadata = "elsewhere", map[string]string{`a "b".c$`: "É 1"} })
	h.run(aimed, task.OutcomeFailed)
	h.run(aimed, task.OutcomeFailed)
	labelled := h.add(func(t *task.Task) { t.Spec.Metadata = map[string]string{`a "b".c$`: "É 1", "n": "x"} })
	all := []task.ID{aimed, labelled, plain, sms, elsewhere, withKey, traced, failed, dead, exhausted, succeeded, running, canceled}
	cases := []struct {
		what   string
		filter store.Filter
		want   []task.ID
	}{
		{"nothing", store.Filter{}, all},
		{"ids", store.Filter{IDs: []task.ID{plain, dead, succeeded, h.task().ID}}, []task.ID{plain, dead, succeeded}},
		{"pending", store.Filter{State: task.Pending}, []task.ID{plain, sms, elsewhere, withKey, traced, failed, aimed, labelled}},
		{"running", store.Filter{State: task.Running}, []task.ID{running}},
		{"succeeded", store.Filter{State: task.Succeeded}, []task.ID{succeeded}},
		{"dead", store.Filter{State: task.Dead}, []task.ID{dead, exhausted}},
		{"canceled", store.Filter{State: task.Canceled}, []task.ID{canceled}},
		{"type", store.Filter{Type: "sms"}, []task.ID{sms, dead}},
		{"queue", store.Filter{Queue: "other"}, []task.ID{elsewhere}},
		{"all queues but one", store.Filter{Without: "other"}, slices.DeleteFunc(slices.Clone(all), func(id task.ID) bool { return id == elsewhere })},
		{"dead letters of all queues but one", store.Filter{Without: "q", State: task.Dead}, nil},
		{"key", store.Filter{Key: "k"}, []task.ID{withKey}},
		{"category", store.Filter{Category: "permanent"}, []task.ID{dead}},
		{"category in several tables", store.Filter{Category: "down"}, []task.ID{failed, exhausted, aimed}},
		{"trace", store.Filter{Trace: "0af7651916cd43dd8448eb211c80319c"}, []task.ID{traced}},
		{"reason", store.Filter{Reason: task.Exhausted}, []task.ID{exhausted}},
		{"fingerprint", store.Filter{Fingerprint: failure("permanent").Fingerprint, State: task.Dead}, []task.ID{dead}},
		{"target", store.Filter{Target: "elsewhere"}, []task.ID{aimed}},
		{"attempts", store.Filter{AttemptMin: 2}, []task.ID{aimed}},
		{"metadata", store.Filter{Metadata: map[string]string{`a "b".c$`: "É 1"}}, []task.ID{aimed, labelled}},
		{"two metadata", store.Filter{Metadata: map[string]string{`a "b".c$`: "É 1", "n": "x"}}, []task.ID{labelled}},
		{"metadata in another case", store.Filter{Metadata: map[string]string{"n": "X"}}, nil},
		{"metadata with another value", store.Filter{Metadata: map[string]string{"n": "1"}}, nil},
		{"search of a message", store.Filter{Search: "DOWN: conn"}, []task.ID{failed, exhausted, aimed}},
		{"search of a message among dead letters", store.Filter{Search: "connection", State: task.Dead}, []task.ID{dead, exhausted}},
		{"search of a key", store.Filter{Search: "k"}, []task.ID{withKey}},
		{"search of a type", store.Filter{Search: "sms"}, []task.ID{sms, dead}},
		{"search of what is not there", store.Filter{Search: `100%_'\`}, nil},
		{"pending of a queue", store.Filter{Queue: "q", State: task.Pending}, []task.ID{plain, sms, withKey, traced, failed, aimed, labelled}},
		{"pending of another queue", store.Filter{Queue: "other", State: task.Pending}, []task.ID{elsewhere}},
		{"dead of a queue", store.Filter{Queue: "q", State: task.Dead}, []task.ID{dead, exhausted}},
		{"dead of another queue", store.Filter{Queue: "other", State: task.Dead}, nil},
		{"dead of a type", store.Filter{Type: "sms", State: task.Dead}, []task.ID{dead}},
		{"dead of a reason", store.Filter{Reason: task.Exhausted, State: task.Dead}, []task.ID{exhausted}},
		{"dead of a category", store.Filter{Category: "down", State: task.Dead}, []task.ID{exhausted}},
		{"dead of a type and a category", store.Filter{Type: "sms", Category: "down", State: task.Dead}, nil},
		{"dead of an unknown type", store.Filter{Type: "nothing", State: task.Dead}, nil},
		{"dead of an unknown fingerprint", store.Filter{Fingerprint: "nothing", State: task.Dead}, nil},
		{"type and state", store.Filter{Type: "sms", State: task.Pending}, []task.ID{sms}},
		{"no match", store.Filter{Type: "sms", State: task.Running}, nil},
		{"pending of a reason", store.Filter{Reason: task.Exhausted, State: task.Pending}, nil},
		{"live of a fingerprint", store.Filter{Fingerprint: failure("permanent").Fingerprint, Live: true}, nil},
		{"ids and type", store.Filter{IDs: []task.ID{plain, sms}, Type: "sms"}, []task.ID{sms}},
	}
	elsewhereChecked := []string{"Since", "Until", "DiedBefore", "FailedSince", "FailedUntil", "Failed", "Queues"}
	for field := range reflect.TypeFor[store.Filter]().Fields() {
		asked := slices.Contains(elsewhereChecked, field.Name)
		for _, c := range cases {
			asked = asked || !reflect.ValueOf(c.filter).FieldByIndex(field.Index).IsZero()
		}
		h.expect(asked, "no case asks for %s", field.Name)
	}
	for _, c := range cases {
		for _, limit := range []int{500, 2} {
			got := h.find(c.filter, limit)
			h.Logf("%s: %d tasks", c.what, len(got))
			h.ids(got, c.want...)
		}
		n, err := h.s.Count(h.ctx, c.filter, 1000)
		if c.filter.Search != "" && errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
			continue // its messages are sealed
		}
		h.ok(err)
		equal(h, "count by "+c.what, n, len(c.want))
	}
}

func pageRules() []rule {
	return []rule{
		{"page/newest first without loss or doubles", "Find returns pages newest first by id; paging neither loses nor doubles tasks, also of equal times and over tables.", func(h *harness) {
			at := time.Now()
			var ids []task.ID
			for i := range 60 {
				id := h.add(func(t *task.Task) { t.ID = task.NewID(at, h.random).WithLane(t.ID.Lane()) }, h.inLane(i%2))
				ids = append(ids, id)
				switch i % 5 {
				case 1:
					h.run(id, task.OutcomeSucceeded)
				case 2:
					h.die(id)
				case 3:
					h.claim(id)
				}
			}
			for _, limit := range []int{1, 7, 60, 61} {
				tasks := h.find(store.Filter{}, limit)
				h.ids(tasks, ids...)
				for i := range len(tasks) - 1 {
					h.expect(tasks[i].ID.String() > tasks[i+1].ID.String(), "%s comes before %s", tasks[i].ID, tasks[i+1].ID)
				}
			}
		}},
		{"page/steady under inserts", "Tasks that come while one pages do not disturb the pages behind the cursor.", func(h *harness) {
			ids := h.addMany(10)
			first, next, err := h.s.Find(h.ctx, store.Filter{}, store.Page{Limit: 4})
			h.ok(err)
			h.add(func(t *task.Task) { t.ID = task.NewID(time.Now().Add(time.Minute), h.random).WithLane(t.ID.Lane()) })
			for next != "" {
				var more []*task.Task
				more, next, err = h.s.Find(h.ctx, store.Filter{}, store.Page{Limit: 4, Cursor: next})
				h.ok(err)
				first = append(first, more...)
			}
			h.ids(first, ids...)
		}},
		{"page/limits", "A page has 100 tasks when the limit is 0, and never more than 500.", func(h *harness) {
			h.addMany(101)
			tasks, next, err := h.s.Find(h.ctx, store.Filter{}, store.Page{})
			h.ok(err)
			h.expect(len(tasks) == 100 && next != "", "%d tasks, next %q", len(tasks), next)
			tasks, _, err = h.s.Find(h.ctx, store.Filter{}, store.Page{Limit: 100_000})
			h.expect(err != nil || len(tasks) == 101, "%d tasks", len(tasks))
		}},
		{"page/bytes", "A page ends with the task that makes it 8 MiB of payloads, and the next one goes on behind it, over all tables; so do pages of ids.", func(h *harness) {
			large := make([]byte, task.MaxPayload)
			var ids []task.ID
			for i := range 20 {
				id := h.add(func(t *task.Task) {
					if t.Payload = large; i%4 == 3 {
						t.Payload, t.Spec.Fallback = nil, &task.Follow{Type: "undo", Payload: bytes.Repeat([]byte("1"), task.MaxPayload-100)}
					}
				})
				ids = append(ids, id)
				switch i % 3 {
				case 1:
					h.run(id, task.OutcomeSucceeded)
				case 2:
					h.die(id)
				}
			}
			for _, filter := range []store.Filter{{}, {IDs: ids}} {
				h.ids(h.find(filter, 500), ids...)
				page, next, err := h.s.Find(h.ctx, filter, store.Page{Limit: 500})
				h.ok(err)
				h.expect(len(page) > 0 && len(page) <= 9 && next != "", "%d tasks of 1 MiB, next %q", len(page), next)
				page, next, err = h.s.Find(h.ctx, filter, store.Page{Limit: 500, Bare: true})
				h.ok(err)
				h.expect(len(page) > 9, "%d tasks whose payloads are not read, next %q", len(page), next)
			}
		}},
		{"page/bare", "The tasks of a bare page have no payload and no result, and all else.", func(h *harness) {
			ids := h.addMany(4)
			h.claim(ids[1])
			done := settlement(h.claimOne(ids[2]), task.OutcomeSucceeded)
			done.Result = []byte(`{"made":1}`)
			h.settle(done)
			h.die(ids[3])
			for _, filter := range []store.Filter{{}, {IDs: ids}} {
				page, _, err := h.s.Find(h.ctx, filter, store.Page{Bare: true})
				h.ok(err)
				h.ids(page, ids...)
				for _, t := range page {
					h.expect(t.Payload == nil && t.Result == nil, "payload %q, result %q", t.Payload, t.Result)
					whole := h.get(t.ID)
					t.Payload, t.Result = whole.Payload, whole.Result
					h.expect(reflect.DeepEqual(t, whole), "%+v, not %+v", t, whole)
				}
			}
		}},
		{"page/bad cursors", "A cursor that the store did not make is invalid, with field cursor.", func(h *harness) {
			h.addMany(3)
			for _, cursor := range []string{"x", "!!", "00", "\x00", "é", "AAAA", "999999999999999999999999999999999999999999999999999999999999999999999999999"} {
				_, _, err := h.s.Find(h.ctx, store.Filter{}, store.Page{Cursor: cursor})
				if err == nil {
					h.Fatalf("the cursor %q was taken", cursor)
				}
				fields := h.code(err, task.CodeInvalid).Fields
				h.expect(len(fields) == 1 && fields[0].Path == "cursor", "fields %v", fields)
			}
		}},
	}
}

func deadQueryRules() []rule {
	return []rule{
		{"dead stats/equal a recount", "The counters of dead letters equal a recount, through death, redrive and purge.", func(h *harness) {
			ids := append(h.addMany(4), h.addMany(3, typed("sms"))...)
			for i, id := range ids {
				h.die(id, func(s *store.Settlement) { s.Failure = failure([]string{"down", "throttled"}[i%2]) })
			}
			h.redrive(store.RedriveOptions{}, ids[0], ids[5])
			_, err := h.s.Purge(h.ctx, store.Filter{Category: "down"}, 2)
			h.ok(err)
			equal(h, "total", h.stats().Total, 3)
			CheckInvariants(h.T, h.s)
			_, err = h.s.Purge(h.ctx, store.Filter{}, 100)
			h.ok(err)
			equal(h, "total", h.stats().Total, 0)
		}},
		{"dead groups/by fingerprint, most first", "DeadGroups groups letters by fingerprint, most first, at most limit, with first and last seen and an example.", func(h *harness) {
			var down, throttled []task.ID
			for range 3 {
				id := h.add()
				h.die(id)
				down = append(down, id)
				h.pass(2 * time.Millisecond)
			}
			id := h.add(typed("sms"))
			h.die(id, func(s *store.Settlement) { s.DeadReason, s.Failure = task.Permanent, failure("throttled") })
			throttled = append(throttled, id)
			groups, err := h.s.DeadGroups(h.ctx, store.Filter{}, 10)
			h.ok(err)
			equal(h, "groups", len(groups), 2)
			first, second := groups[0], groups[1]
			h.expect(first.Count == 3 && first.Fingerprint == failure("down").Fingerprint && first.Type == "mail" && first.Category == "down" &&
				first.Reason == task.Exhausted && first.Message == failure("down").Message, "got %+v", first)
			h.near("first seen", first.FirstSeen, h.get(down[0]).FinishedAt)
			h.near("last seen", first.LastSeen, h.get(down[2]).FinishedAt)
			h.expect(h.get(first.Example).LastError.Fingerprint == first.Fingerprint, "the example is of another group")
			h.expect(second.Count == 1 && second.Example == throttled[0] && second.Reason == task.Permanent, "got %+v", second)
			groups, err = h.s.DeadGroups(h.ctx, store.Filter{}, 1)
			h.ok(err)
			h.expect(len(groups) == 1 && groups[0].Count == 3, "got %+v", groups)
			groups, err = h.s.DeadGroups(h.ctx, store.Filter{Type: "sms"}, 10)
			h.ok(err)
			h.expect(len(groups) == 1 && groups[0].Count == 1, "got %+v", groups)
		}},
		{"dead trend/by hour", "DeadTrend counts the letters that match by fingerprint, reason, target, holder and hour of their death, 0 for those before a time.", func(h *harness) {
			early := h.add()
			h.die(early)
			h.pass(2 * time.Millisecond)
			ids := []task.ID{h.add(), h.add(), h.add(func(t *task.Task) { t.Target = "elsewhere" })}
			for i, id := range ids {
				h.die(id, func(s *store.Settlement) {
					s.Failure = failure([]string{"down", "throttled", "down"}[i])
					s.DeadReason = []task.DeadReason{task.Exhausted, task.Exhausted, task.Permanent}[i]
				})
			}
			first, ran := h.get(ids[0]).FinishedAt, h.attempts(ids[0])[0].Node
			for filter, want := range map[*store.Filter]int{{}: 4, {Fingerprint: failure("down").Fingerprint}: 3, {Target: "elsewhere"}: 1, {Type: "sms"}: 0} {
				parts, err := h.s.DeadTrend(h.ctx, *filter, first)
				h.ok(err)
				total := 0
				for _, p := range parts {
					total += p.Count
					h.expect(p.Hour == 0 && p.Fingerprint == failure("down").Fingerprint && p.Target == "mail" ||
						p.Hour >= first.Unix()/3600 && p.Hour <= time.Now().Unix()/3600+1, "got %+v", p)
					h.expect(p.Node == ran, "%q ran it, not %q", ran, p.Node)
					h.expect((p.Reason == task.Permanent) == (p.Target == "elsewhere"), "got %+v", p)
				}
				equal(h, "letters", total, want)
			}
		}},
		{"dead trend/by who ran last", "DeadTrend tells letters apart by who ran their last attempt, a node or the holder of a lease, whoever ran those before.", func(h *harness) {
			h.join("n2")
			h.join("n3")
			die := func(t *task.Task) { h.settle(settlement(t, task.OutcomeDead)) }
			moved, back := h.add(), h.add()
			h.settle(settlement(h.claimFor("n2", moved)[0], task.OutcomeFailed))
			h.die(moved)
			h.run(back, task.OutcomeFailed)
			die(h.claimFor("n3", back)[0])
			die(h.claimFor("n2", h.add())[0])
			lease := store.Claim{Node: "n1", Lanes: h.lanes, Items: items(h.add()), Worker: "w", Release: "r", Lease: time.Minute}
			die(h.tryAs(lease).Tasks[0])
			parts, err := h.s.DeadTrend(h.ctx, store.Filter{}, time.Time{})
			h.ok(err)
			got := map[string]int{}
			for _, p := range parts {
				got[p.Node] += p.Count
			}
			want := map[string]int{"n1": 1, "n2": 1, "n3": 1, task.Holder("n1", "w", "r"): 1}
			h.expect(maps.Equal(got, want), "got %v, want %v", got, want)
		}},
		{"dead groups/shrink", "Letters that were redriven or purged leave their group; an empty group is gone.", func(h *harness) {
			ids := h.addMany(3)
			for _, id := range ids {
				h.die(id)
			}
			h.redrive(store.RedriveOptions{}, ids[2])
			groups, err := h.s.DeadGroups(h.ctx, store.Filter{}, 10)
			h.ok(err)
			h.expect(len(groups) == 1 && groups[0].Count == 2, "got %+v", groups)
			h.state(groups[0].Example, task.Dead)
			_, err = h.s.Purge(h.ctx, store.Filter{}, 10)
			h.ok(err)
			groups, err = h.s.DeadGroups(h.ctx, store.Filter{}, 10)
			h.ok(err)
			equal(h, "groups", len(groups), 0)
		}},
	}
}
