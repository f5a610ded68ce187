package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func objectRules() []rule {
	return []rule{
		{"object/put and read", "Change puts objects and returns them as stored: version 1, the store's time, all else as given, byte for byte.", func(h *harness) {
			given := store.Object{Kind: "policy", Name: "payment", Body: []byte("{\"a\": 1,\n \"ü\":\"\u0000\"}\x00\xff"), Managed: "file", Actor: "someone"}
			put := h.put(given)
			h.expect(put.Version == 1 && !put.UpdatedAt.IsZero(), "got %+v", put)
			given.Version, given.UpdatedAt = put.Version, put.UpdatedAt
			h.expect(reflect.DeepEqual(given, put), "gave %+v\n got %+v", given, put)
			h.expect(reflect.DeepEqual(h.object("policy", "payment"), &put), "read %+v, put %+v", h.object("policy", "payment"), put)
			_, err := h.s.Object(h.ctx, "schedule", "payment")
			h.code(err, task.CodeNotFound)
		}},
		{"object/changed at its version", "A put succeeds only at the stored version, which it raises by one; version 0 only if there is none. Else conflict, naming the object.", func(h *harness) {
			first := h.put(store.Object{Kind: "policy", Name: "payment", Body: []byte(`1`)})
			second := first
			second.Body = []byte(`2`)
			second = h.put(second)
			equal(h, "version", second.Version, 2)
			for _, version := range []int64{0, 1, 3} {
				message := h.conflict(store.Change{Put: []store.Object{{Kind: "policy", Name: "payment", Body: []byte(`3`), Version: version}}})
				h.expect(strings.Contains(message, "policy") && strings.Contains(message, "payment"), "which object? %s", message)
			}
			h.conflict(store.Change{Put: []store.Object{{Kind: "policy", Name: "absent", Body: []byte(`3`), Version: 1}}})
			h.expect(string(h.object("policy", "payment").Body) == "2", "a refused change was made")
		}},
		{"object/deleted at its version", "A delete succeeds only at the stored version. Made again, the object goes on from the last version that is kept.", func(h *harness) {
			o := h.put(store.Object{Kind: "rule", Name: "r", Body: []byte(`1`)})
			h.conflict(store.Change{Delete: []store.Object{{Kind: "rule", Name: "r", Version: 2}}})
			h.change(store.Change{Delete: []store.Object{{Kind: "rule", Name: "r", Version: o.Version, Actor: "who"}}})
			_, err := h.s.Object(h.ctx, "rule", "r")
			h.code(err, task.CodeNotFound)
			h.conflict(store.Change{Delete: []store.Object{{Kind: "rule", Name: "r", Version: 1}}})
			equal(h, "version", h.put(store.Object{Kind: "rule", Name: "r", Body: []byte(`1`)}).Version, 3)
		}},
		{"object/listed by name", "Objects lists a kind by name, and with no kind all of them by kind and name, in the order of bytes.", func(h *harness) {
			for _, name := range []string{"b", "a", "B", "é", "z", "e\u0301", "a "} {
				h.put(store.Object{Kind: "rule", Name: name, Body: []byte(`"` + name + `"`)})
			}
			h.put(store.Object{Kind: "channel", Name: "x", Body: []byte(`1`)})
			equal(h, "names", h.names("rule"), "[B a a  b e\u0301 z é]")
			equal(h, "all", h.names(""), "[x B a a  b e\u0301 z é]")
			equal(h, "none", h.names("absent"), "[]")
			for _, name := range []string{"a", "B", "é", "e\u0301", "a "} {
				equal(h, "body", string(h.object("rule", name).Body), `"`+name+`"`)
			}
		}},
		{"object/versions are kept", "ObjectVersions lists the last 100 versions, newest first; the end of a deleted object is one without a body.", func(h *harness) {
			o := store.Object{Kind: "policy", Name: "p"}
			for i := range store.MostVersions + 5 {
				o.Body, o.Actor = fmt.Appendf(nil, "%d", i+1), fmt.Sprint("actor ", i+1)
				o = h.put(o)
			}
			versions := h.versions("policy", "p", 1000)
			equal(h, "versions", len(versions), store.MostVersions)
			for i, v := range versions {
				want := store.MostVersions + 5 - i
				h.expect(v.Version == int64(want) && string(v.Body) == fmt.Sprint(want) && v.Actor == fmt.Sprint("actor ", want) && !v.UpdatedAt.IsZero(), "%d: got %+v", want, v)
			}
			equal(h, "limited", len(h.versions("policy", "p", 3)), 3)
			h.change(store.Change{Delete: []store.Object{{Kind: "policy", Name: "p", Version: o.Version, Actor: "remover"}}})
			last := h.versions("policy", "p", 1)[0]
			h.expect(last.Body == nil && last.Version == o.Version+1 && last.Actor == "remover", "got %+v", last)
			equal(h, "of another", len(h.versions("policy", "P", 10)), 0)
		}},
		{"object/quiet", "A Quiet change raises the version of the object, but keeps no version and does not raise the topology's Config; any other that puts or deletes does both.", func(h *harness) {
			before := h.topology().Config
			o := h.change(store.Change{Quiet: true, Put: []store.Object{{Kind: "tick", Name: "t", Body: []byte(`1`)}}}).Put[0]
			equal(h, "version", o.Version, 1)
			o = h.change(store.Change{Quiet: true, Put: []store.Object{o}}).Put[0]
			equal(h, "version", o.Version, 2)
			h.change(store.Change{Quiet: true, Delete: []store.Object{o}})
			equal(h, "versions", len(h.versions("tick", "t", 10)), 0)
			h.change(store.Change{Audit: []store.Audit{{Action: "x"}}})
			equal(h, "config", h.topology().Config, before)
			p := h.put(store.Object{Kind: "policy", Name: "p", Body: []byte(`1`)})
			after := h.topology().Config
			h.expect(after > before, "config %d after %d", after, before)
			h.change(store.Change{Delete: []store.Object{p}})
			h.expect(h.topology().Config > after, "config %d after %d", h.topology().Config, after)
		}},
		{"object/refused", "Objects have a kind, a name and a body within their limits, once per change; what can never be stored is invalid or too large and changes nothing.", checkRefusedObjects},
		{"object/large", "A body of 64 KiB and a name of 512 bytes are stored, and a change of 1000 objects.", func(h *harness) {
			name := strings.Repeat("ü", store.MaxObjectName/2)
			body := bytes.Repeat([]byte{'"'}, store.MaxObject)
			h.put(store.Object{Kind: "policy", Name: name, Body: body})
			h.expect(bytes.Equal(h.object("policy", name).Body, body), "the body is another")
			var many []store.Object
			for i := range store.MaxChange {
				many = append(many, store.Object{Kind: "rule", Name: fmt.Sprint("r", i), Body: []byte(`{}`)})
			}
			put := h.change(store.Change{Put: many}).Put
			h.expect(put[0].Name == "r0" && put[999].Name == "r999" && put[999].Version == 1, "got %+v", put[999])
			list, err := h.s.Objects(h.ctx, "rule")
			h.ok(err)
			equal(h, "objects", len(list), store.MaxChange)
		}},
	}
}

func checkRefusedObjects(h *harness) {
	good := store.Object{Kind: "policy", Name: "good", Body: []byte(`1`)}
	for _, bad := range []store.Object{
		{Name: "n", Body: []byte(`1`)}, {Kind: "Policy", Name: "n", Body: []byte(`1`)}, {Kind: "a/b", Name: "n", Body: []byte(`1`)},
		{Kind: strings.Repeat("k", 65), Name: "n", Body: []byte(`1`)},
		{Kind: "policy", Body: []byte(`1`)}, {Kind: "policy", Name: "a\x00b", Body: []byte(`1`)}, {Kind: "policy", Name: "\xff", Body: []byte(`1`)},
		{Kind: "policy", Name: strings.Repeat("n", store.MaxObjectName+1), Body: []byte(`1`)},
		{Kind: "policy", Name: "n"}, {Kind: "policy", Name: "n", Body: []byte(`1`), Version: -1},
		{Kind: "policy", Name: "good", Body: []byte(`2`)}, {Kind: "policy", Name: "n", Body: []byte(`1`), Actor: "\xff"},
	} {
		_, err := h.s.Change(h.ctx, store.Change{Put: []store.Object{good, bad}})
		h.code(err, task.CodeInvalid)
	}
	for _, change := range []store.Change{
		{Delete: []store.Object{{Kind: "policy", Name: "x"}}},
		{Put: []store.Object{good}, Delete: []store.Object{{Kind: "policy", Name: "good", Version: 1}}},
		{Put: []store.Object{good}, Audit: []store.Audit{{Actor: "a"}}},
		{Put: []store.Object{good}, ID: strings.Repeat("x", 129)},
	} {
		_, err := h.s.Change(h.ctx, change)
		h.code(err, task.CodeInvalid)
	}
	for _, change := range []store.Change{
		{Put: []store.Object{good, {Kind: "policy", Name: "n", Body: make([]byte, store.MaxObject+1)}}},
		{Put: make([]store.Object, store.MaxChange+1)},
		{Put: []store.Object{good}, Audit: []store.Audit{{Action: "x", After: make([]byte, store.MaxObject+1)}}},
	} {
		_, err := h.s.Change(h.ctx, change)
		h.code(err, task.CodeTooLarge)
	}
	equal(h, "objects", h.names(""), "[]")
	equal(h, "config", h.topology().Config, 0)
}

func changeRules() []rule {
	return []rule{
		{"change/all or nothing", "A change of which one part is refused, an object or a batch, changes nothing: no object, no version, no audit row, no task, no Config.", checkWholeChange},
		{"change/enqueues with it", "The tasks of a change exist exactly if it does, and are answered as by Enqueue; a task that is there already is no refusal.", func(h *harness) {
			one, two := h.task(), h.task(keyed("k"))
			item := store.Insert{Task: two, Dedupe: &store.Dedupe{Lane: h.lanes[1].Lane, Key: "tick", Window: time.Hour, Content: [16]byte{1}}}
			first := h.change(store.Change{
				Put:     []store.Object{{Kind: "tick", Name: "t", Body: []byte(`1`)}},
				Enqueue: []store.Batch{{Items: []store.Insert{{Task: one}}}, {}, {Items: []store.Insert{item}}},
			})
			h.expect(len(first.Results) == 3 && len(first.Results[0].Items) == 1 && len(first.Results[1].Items) == 0 && len(first.Results[2].Items) == 1, "got %+v", first.Results)
			equal(h, "entry", first.Results[0].Items[0].Entry.ID, one.ID)
			h.expect(first.Results[2].Items[0].Entry.Seq > 0, "a keyed row without a seq: %+v", first.Results[2].Items[0].Entry)
			h.claim(one.ID, two.ID)
			item.Task = h.task(keyed("k"))
			again := h.change(store.Change{
				Put:     []store.Object{{Kind: "tick", Name: "t", Body: []byte(`2`), Version: 1}},
				Enqueue: []store.Batch{{Items: []store.Insert{{Task: one}, item}}},
			})
			made := again.Results[0].Items
			h.expect(made[0].Existing != nil && made[0].Existing.ID == one.ID && made[1].Existing != nil && made[1].Existing.ID == two.ID, "got %+v", made)
			h.absent(item.Task.ID)
		}},
		{"change/repeated by its id", "A change with the ID of one that was applied does nothing and is answered as that was; another ID, or none, is a conflict.", func(h *harness) {
			t := h.task()
			change := store.Change{
				ID:      "request-1",
				Put:     []store.Object{{Kind: "policy", Name: "b", Body: []byte(`1`)}, {Kind: "policy", Name: "a", Body: []byte(`1`)}},
				Audit:   []store.Audit{{Action: "policy.put"}},
				Enqueue: []store.Batch{{Items: []store.Insert{{Task: t}}}},
			}
			first := h.change(change)
			b := first.Put[0]
			b.Body = []byte(`2`)
			h.put(b)
			config := h.topology().Config
			for range 2 {
				again := h.change(change)
				h.expect(again.Repeated && !first.Repeated && len(again.Results) == 0, "got %+v", again)
				h.expect(reflect.DeepEqual(again.Put, first.Put), "first %+v\nagain %+v", first.Put, again.Put)
			}
			equal(h, "body", string(h.object("policy", "b").Body), "2")
			equal(h, "config", h.topology().Config, config)
			equal(h, "rows", len(h.audit(store.AuditFilter{}, 10)), 1)
			for _, id := range []string{"", "request-2", "Request-1"} {
				change.ID = id
				h.conflict(change)
			}
			h.conflict(change) // an ID whose change was refused is not taken
			change.Put[0].Version, change.Put[1].Version = 2, 1
			equal(h, "version", h.change(change).Put[1].Version, 2)
		}},
		{"change/ids are forgotten", "The ID of a change is known for 24 hours.", func(h *harness) {
			if h.able.Advance == nil {
				h.Skip("needs a clock that can be moved")
			}
			change := store.Change{ID: "1", Put: []store.Object{{Kind: "policy", Name: "a", Body: []byte(`1`)}}}
			h.change(change)
			h.pass(store.ChangeMemory - time.Minute)
			h.expect(h.change(change).Repeated, "it was applied again")
			h.pass(2 * time.Minute)
			h.conflict(change)
		}},
		{"change/races", "Of many that change the same objects at once at the same version, one succeeds, and all others are refused.", func(h *harness) {
			var wins, losses atomic.Int64
			h.race(func(i int) error {
				put := []store.Object{{Kind: "tick", Name: "a", Body: []byte(`1`)}, {Kind: "tick", Name: "b", Body: []byte(`1`)}}
				if i%2 == 1 {
					put[0], put[1] = put[1], put[0]
				}
				_, err := h.s.Change(h.ctx, store.Change{Put: put, Audit: []store.Audit{{Action: "won"}}})
				switch {
				case err == nil:
					wins.Add(1)
				case errors.Is(err, &task.Error{Code: task.CodeConflict}):
					losses.Add(1)
				default:
					return err
				}
				return nil
			})
			h.expect(wins.Load() == 1 && losses.Load() == racers-1, "%d won, %d lost", wins.Load(), losses.Load())
			equal(h, "rows", len(h.audit(store.AuditFilter{}, 500)), 1)
		}},
		{"change/races of one id", "Of many that send the same change with the same ID at once, one applies it, and all are answered alike.", func(h *harness) {
			var first atomic.Int64
			h.race(func(int) error {
				changed, err := h.s.Change(h.ctx, store.Change{ID: "one", Put: []store.Object{{Kind: "policy", Name: "a", Body: []byte(`1`)}}})
				if err == nil && !changed.Repeated {
					first.Add(1)
				}
				if err == nil && changed.Put[0].Version != 1 {
					err = fmt.Errorf("version %d", changed.Put[0].Version)
				}
				return err
			})
			equal(h, "applied", first.Load(), 1)
		}},
	}
}

func checkWholeChange(h *harness) {
	taken := h.task()
	h.insert(taken)
	other := *taken
	other.Type = "other"
	old := h.put(store.Object{Kind: "policy", Name: "old", Body: []byte(`1`)})
	gone := h.put(store.Object{Kind: "policy", Name: "gone", Body: []byte(`1`)})
	config, fresh := h.topology().Config, h.task()
	whole := func() store.Change {
		changed := old
		changed.Body = []byte(`2`)
		return store.Change{
			ID: "whole", Put: []store.Object{changed, {Kind: "policy", Name: "new", Body: []byte(`1`)}}, Delete: []store.Object{gone},
			Audit: []store.Audit{{Action: "x"}}, Enqueue: []store.Batch{{Items: []store.Insert{{Task: fresh}}}},
		}
	}
	nowhere := h.task(func(t *task.Task) { t.Queue = "" })
	for what, spoil := range map[string]func(c *store.Change) task.Code{
		"put":    func(c *store.Change) task.Code { c.Put[1].Version = 5; return task.CodeConflict },
		"fresh":  func(c *store.Change) task.Code { c.Put[0].Version = 0; return task.CodeConflict },
		"delete": func(c *store.Change) task.Code { c.Delete[0].Version = 7; return task.CodeConflict },
		"id": func(c *store.Change) task.Code {
			c.Enqueue = append(c.Enqueue, store.Batch{Items: []store.Insert{{Task: &other}}})
			return task.CodeIDConflict
		},
		"item": func(c *store.Change) task.Code {
			c.Enqueue[0].Items = append(c.Enqueue[0].Items, store.Insert{Task: nowhere})
			return task.CodeInvalid
		},
	} {
		change := whole()
		want := spoil(&change)
		_, err := h.s.Change(h.ctx, change)
		h.Logf("refused for its %s: %v", what, err)
		h.code(err, want)
		equal(h, "names", h.names(""), "[gone old]")
		equal(h, "body", string(h.object("policy", "old").Body), "1")
		equal(h, "versions", len(h.versions("policy", "old", 10))+len(h.versions("policy", "new", 10)), 1)
		equal(h, "config", h.topology().Config, config)
		equal(h, "rows", len(h.audit(store.AuditFilter{}, 10)), 0)
		h.absent(fresh.ID)
	}
	h.change(whole())
	equal(h, "names", h.names(""), "[new old]")
	h.state(fresh.ID, task.Pending)
}

func (h *harness) change(change store.Change) *store.Changed {
	h.Helper()
	changed, err := h.s.Change(h.ctx, change)
	h.ok(err)
	equal(h, "put", len(changed.Put), len(change.Put))
	return changed
}

func (h *harness) conflict(change store.Change) string {
	h.Helper()
	_, err := h.s.Change(h.ctx, change)
	return h.code(err, task.CodeConflict).Message
}

func (h *harness) put(o store.Object) store.Object {
	h.Helper()
	return h.change(store.Change{Put: []store.Object{o}}).Put[0]
}

func (h *harness) object(kind, name string) *store.Object {
	h.Helper()
	o, err := h.s.Object(h.ctx, kind, name)
	h.ok(err)
	return o
}

func (h *harness) names(kind string) string {
	h.Helper()
	list, err := h.s.Objects(h.ctx, kind)
	h.ok(err)
	names := []string{}
	for _, o := range list {
		names = append(names, o.Name)
	}
	return fmt.Sprint(names)
}

func (h *harness) versions(kind, name string, limit int) []store.Object {
	h.Helper()
	list, err := h.s.ObjectVersions(h.ctx, kind, name, limit)
	h.ok(err)
	return list
}
