package storetest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// lookalikes are names that a database with a collation would mix up: by
// case, by composition, by trailing blanks, by width.
var lookalikes = []string{"A", "a", "é", "e\u0301", "k", "k ", "k\t", " k", "ss", "ß", "K", "\u212a", "ﬀ", "ff", "0", "00", "%", "_", `k'"\`, "🙂", "日本"}

func bytesRules() []rule {
	return []rule{
		{"bytes/payloads come back byte for byte", "Payloads are opaque bytes: NUL, invalid UTF-8, empty and 1 MiB come back as they went, through every table.", func(h *harness) {
			big := make([]byte, task.MaxPayload)
			for i := range big {
				big[i] = byte(h.random.Uint32())
			}
			payloads := [][]byte{nil, {}, {0}, []byte("a\x00b"), {0xff, 0xfe, 0x80}, []byte(`{"n": 12345678901234567890.000 }`), []byte("'\"\\ \r\n"), big}
			for _, payload := range payloads {
				succeeds := h.add(func(t *task.Task) { t.Payload = payload })
				dies := h.add(func(t *task.Task) { t.Payload = payload })
				h.same(h.get(succeeds).Payload, payload)
				h.same(h.run(succeeds, task.OutcomeSucceeded).Payload, payload)
				h.same(h.get(succeeds).Payload, payload)
				h.die(dies)
				h.same(h.get(dies).Payload, payload)
				_, _, err := h.s.Redrive(h.ctx, []task.ID{dies}, store.RedriveOptions{})
				h.ok(err)
				h.same(h.claimOne(dies).Payload, payload)
			}
		}},
		{"bytes/keys are compared byte for byte", "Ordering keys are compared byte for byte: case, composition and trailing blanks make other keys.", func(h *harness) {
			var ids []task.ID
			for _, key := range lookalikes {
				ids = append(ids, h.add(keyed(key)))
			}
			for i, t := range h.claim(ids...) {
				equal(h, "key", t.Key, lookalikes[i])
			}
			for i, key := range lookalikes {
				equal(h, "running", h.keyState(key).Running, ids[i])
				h.ids(h.find(store.Filter{Key: key}, 10), ids[i])
			}
		}},
		{"bytes/holds are of one key", "A dead task holds its own key and no lookalike.", func(h *harness) {
			h.die(h.add(keyed("a")))
			h.refuseOne(h.add(keyed("a")), store.ReasonKeyHeld)
			h.claimOne(h.add(keyed("A")))
			h.claimOne(h.add(keyed("a ")))
		}},
		{"bytes/dedupe keys are compared byte for byte", "Dedupe keys are compared byte for byte.", func(h *harness) {
			var first []task.ID
			for i, key := range lookalikes {
				first = append(first, h.fresh(h.dedupe(h.task(), key, 1<<40, byte(i))))
			}
			for i, key := range lookalikes {
				h.dup(h.dedupe(h.task(), key, 1<<40, byte(i)), first[i])
			}
		}},
		{"bytes/types are compared byte for byte", "Types are compared byte for byte, and counted apart.", func(h *harness) {
			var ids []task.ID
			for _, name := range lookalikes {
				ids = append(ids, h.add(typed(name)))
			}
			for i, name := range lookalikes {
				h.ids(h.find(store.Filter{Type: name}, 10), ids[i])
				h.die(ids[i])
			}
			equal(h, "types counted", len(h.stats().ByType), len(lookalikes))
		}},
		{"bytes/queues are compared byte for byte", "Queue names are compared byte for byte.", func(h *harness) {
			seen := map[uint16]bool{}
			for _, name := range []string{"A", "a", "é", "e\u0301"} {
				lane := h.queue(name, 1)[0].Lane
				h.expect(!seen[lane], "the queues share lane %d", lane)
				seen[lane] = true
			}
		}},
		{"bytes/fingerprints are compared byte for byte", "Dead letters are grouped by their fingerprints byte for byte.", func(h *harness) {
			for _, fingerprint := range lookalikes {
				h.die(h.add(), func(s *store.Settlement) { s.Failure.Fingerprint = fingerprint })
			}
			groups, err := h.s.DeadGroups(h.ctx, store.Filter{}, 100)
			h.ok(err)
			equal(h, "groups", len(groups), len(lookalikes))
			for _, fingerprint := range lookalikes {
				equal(h, "letters", len(h.find(store.Filter{Fingerprint: fingerprint}, 10)), 1)
			}
		}},
		{"bytes/names of nodes, targets and operations", "Nodes, targets and operations are told apart byte for byte.", func(h *harness) {
			for i, name := range lookalikes {
				h.join(name)
				_, err := h.s.PutTargetOrder(h.ctx, store.TargetOrder{Target: name, Action: store.TargetOpen})
				h.ok(err)
				_, err = h.s.PutOperation(h.ctx, store.Operation{ID: name, Kind: "redrive", State: store.OperationRunning, Matched: i})
				h.ok(err)
			}
			h.leave(lookalikes[0])
			topology := h.topology()
			equal(h, "orders", len(topology.Orders), len(lookalikes))
			equal(h, "nodes", len(topology.Nodes), len(lookalikes)+1)
			for i, name := range lookalikes {
				equal(h, "left", h.node(name).State == store.NodeLeft, i == 0)
				operation, err := h.s.Operation(h.ctx, name)
				h.ok(err)
				equal(h, "operation", operation.Matched, i)
			}
		}},
		{"bytes/text comes back as it went", "Texts of a task come back as they went, whatever they are made of: specs, targets, policies, errors and results, through every state.", checkOddText},
		{"bytes/long keys", "Keys of 512 bytes that differ in their last byte are different keys.", func(h *harness) {
			long := strings.Repeat("x", task.MaxKey-1)
			ids := []task.ID{h.add(keyed(long + "a")), h.add(keyed(long + "b"))}
			h.claim(ids...)
		}},
	}
}

func (h *harness) same(got, want []byte) {
	h.Helper()
	h.expect(bytes.Equal(got, want), "got %d bytes, want %d, the same ones", len(got), len(want))
}

// oddTexts are texts that end up changed where statements, character sets or
// JSON are put together by hand.
var oddTexts = []string{
	"🙂 日本 é e\u0301 \u200d", `back\slash\`, `'quotes" and ` + "`ticks`", "lines\r\n\u2028tab\t", "? ?1 $1 :a @b %s %", "--; /* */ #",
	" blanks at the end  ", "\ufeff\U0010ffff\x7f\x01",
}

func checkOddText(h *harness) {
	for _, odd := range oddTexts {
		insert := h.task(keyed(odd), func(t *task.Task) {
			t.Type, t.Target, t.Policy = odd, odd, odd
			t.Spec = task.Spec{Metadata: map[string]string{odd: odd}, TraceParent: odd, HTTP: &task.Request{URL: odd}}
		})
		h.insert(insert)
		same := func(t *task.Task) {
			h.Helper()
			h.expect(t.Key == odd && t.Type == odd && t.Target == odd && t.Policy == odd && t.Spec.Metadata[odd] == odd &&
				t.Spec.TraceParent == odd && t.Spec.HTTP.URL == odd, "%q came back as %+v", odd, t)
		}
		failed := &task.Failure{Category: "down", Type: odd, Code: odd, Message: odd + "\x00", Fingerprint: odd}
		kept := func(f *task.Failure) {
			h.Helper()
			h.expect(f != nil && f.Type == odd && f.Code == odd && f.Message == odd+"\x00" && f.Fingerprint == odd, "%q came back as %+v", odd, f)
		}
		same(h.get(insert.ID))
		for _, outcome := range []task.Outcome{task.OutcomeFailed, task.OutcomeDead} {
			t := h.claimOne(insert.ID)
			same(t)
			s := settlement(t, outcome)
			s.Failure = failed
			h.settle(s)
			same(h.get(insert.ID))
			kept(h.get(insert.ID).LastError)
			for _, attempt := range h.attempts(insert.ID) {
				kept(attempt.Failure)
			}
		}
		_, _, err := h.s.Redrive(h.ctx, []task.ID{insert.ID}, store.RedriveOptions{})
		h.ok(err)
		s := settlement(h.claimOne(insert.ID), task.OutcomeSucceeded)
		s.Result, _ = json.Marshal(odd)
		h.settle(s)
		same(h.get(insert.ID))
		h.same(h.get(insert.ID).Result, s.Result)
	}
}
