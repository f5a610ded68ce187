package sealed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
)

// queue reads the queue "q", in every way in which queues are read.
func (b *bench) queue(s store.Backend) store.Queue {
	b.Helper()
	queues, err := s.Queues(b.Context())
	b.ok(err)
	topology, err := s.Topology(b.Context())
	b.ok(err)
	if got, listed := topology.Queues[0], queues[0]; got.Policy != listed.Policy || (got.Doubt == nil) != (listed.Doubt == nil) || got.Known != listed.Known {
		b.Errorf("the topology has %+v, the list %+v", got, listed)
	}
	return queues[0]
}

// plant has the queue "q" name a policy, as who writes to the database would.
func (b *bench) plant(kept string) {
	b.Helper()
	queue := b.queue(b.raw)
	queue.Policy = kept
	_, err := b.raw.PutQueue(b.Context(), queue)
	b.ok(err)
}

// Who can write to the database cannot have the tasks of a queue go by another policy.
func TestPolicyOfAQueue(t *testing.T) {
	b := newBench(t)
	first := b.seal(oneKey(1))
	put, err := first.PutQueue(t.Context(), store.Queue{Name: "q", Policy: "paid", Weight: 2})
	b.ok(err)
	if put.Policy != "paid" || put.Doubt != nil {
		t.Fatalf("put %+v", put)
	}
	kept := b.queue(b.raw).Policy
	if !strings.HasPrefix(kept, "paid 1:k1:") || b.queue(b.seal(sealed.Keys{})).Policy != "paid" || b.queue(b.seal(oneKey(1))).Policy != "paid" {
		t.Errorf("kept as %q", kept)
	}
	for name, row := range map[string]struct{ kept, says string }{
		"a name":            {"away", "put without the encryption key"},
		"another name":      {strings.Replace(kept, "paid", "away", 1), "its proof is wrong"},
		"another key":       {strings.Replace(kept, ":k1:", ":k2:", 1), "does not have"},
		"half a proof":      {kept[:len(kept)-1], "its proof is wrong"},
		"a proof that ends": {"paid 1:k1", "its proof is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			b.plant(row.kept)
			s := b.seal(oneKey(1))
			got := b.queue(s)
			if got.Policy != "" || got.Known || got.Doubt == nil || !strings.Contains(got.Doubt.Error(), row.says) {
				t.Errorf("read as %+v", got)
			}
			if known := b.queue(first); known.Policy != "paid" || !known.Known || known.Doubt == nil {
				t.Errorf("who knew it reads %+v", known)
			}
			status, err := s.Status(t.Context())
			b.ok(err)
			if len(status.Unproven) != 1 || status.Unproven["queue.policy/q"] == "" {
				t.Errorf("told: %v", status.Unproven)
			}
			if clear := b.queue(b.seal(sealed.Keys{Secrets: oneKey(1).Secrets, Clear: true})); clear.Doubt != nil {
				t.Errorf("while nobody can tell it is %+v", clear)
			}
			// A change of something else neither vouches for it nor loses it.
			got.Weight = 3
			changed, err := s.PutQueue(t.Context(), got)
			b.ok(err)
			if changed.Doubt == nil || changed.Weight != 3 || b.queue(b.raw).Policy != row.kept {
				t.Errorf("changed to %+v, kept %q", changed, b.queue(b.raw).Policy)
			}
			doubted, err := s.Unproven(t.Context())
			b.ok(err)
			done, err := s.Adopt(t.Context(), doubted, store.Audit{Actor: "cli"})
			b.ok(err)
			name, _, _ := strings.Cut(row.kept, " ")
			if got = b.queue(s); done != 1 || got.Policy != name || got.Doubt != nil || got.Weight != 3 {
				t.Errorf("%d adopted, read as %+v", done, got)
			}
			audit, _, err := s.Audit(t.Context(), store.AuditFilter{Action: "config.adopt"}, store.Page{Limit: 1})
			b.ok(err)
			if len(audit) != 1 || audit[0].Subject != "queue.policy/q" || strings.Contains(string(audit[0].After), " 1:") {
				t.Errorf("audit %+v", audit)
			}
			b.plant("other")
			if _, err = s.Adopt(t.Context(), doubted, store.Audit{Actor: "cli"}); err == nil {
				t.Error("another name than was shown was adopted")
			}
			_, err = first.PutQueue(t.Context(), store.Queue{Name: "q", Policy: "paid"})
			b.ok(err)
		})
	}
	if b.plant(""); b.queue(b.seal(oneKey(1))).Doubt != nil {
		t.Error("a queue that names no policy is in doubt")
	}
}

// A proof of another queue is none, and one of an earlier key is made anew.
func TestProofsOfQueues(t *testing.T) {
	b := newBench(t)
	_, err := b.seal(oneKey(1)).PutQueue(t.Context(), store.Queue{Name: "q", Policy: "paid"})
	b.ok(err)
	_, err = b.raw.PutQueue(t.Context(), store.Queue{Name: "r", Policy: b.queue(b.raw).Policy, Lanes: 1})
	b.ok(err)
	both := sealed.Keys{Current: "k2", Secrets: map[string][]byte{"k1": secret(1), "k2": secret(50)}}
	s := b.seal(both)
	b.ok(s.Admit(t.Context(), true))
	queues, err := b.seal(sealed.Keys{Secrets: map[string][]byte{"k2": secret(50)}}).Queues(t.Context())
	b.ok(err)
	at := slices.IndexFunc(queues, func(q store.Queue) bool { return q.Name == "r" })
	if queues[at].Doubt == nil || queues[1-at].Doubt != nil || queues[1-at].Policy != "paid" {
		t.Errorf("read as %+v", queues)
	}
}
