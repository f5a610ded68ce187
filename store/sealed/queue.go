package sealed

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindQueuePolicy is the kind under which [Store.Unproven] lists the policies that queues
// name, by the name of the queue. There are no objects of it.
const KindQueuePolicy = "queue.policy"

// The name of a queue's policy is kept with a proof behind it, as "NAME 1:KEY:HMAC". A
// queue that names none has none: what holds for all holds for it, as it would if
// the name were deleted.
const policyProof = store.PolicyProof

func (k *key) policyProof(queue, policy string) []byte {
	proof := k.proof(&store.Object{Kind: KindQueuePolicy, Name: queue}, []byte(policy))
	return base64.RawStdEncoding.AppendEncode(nil, proof[:])
}

// signPolicy is the name of a queue's policy as it is kept.
func (k *key) signPolicy(queue *store.Queue) string {
	if queue.Policy == "" {
		return ""
	}
	return queue.Policy + policyProof + k.id + ":" + string(k.policyProof(queue.Name, queue.Policy))
}

// provePolicy takes the proof off the name of a queue's policy. Where this process seals,
// a queue whose name nobody vouches for has none, and a Doubt. It returns whose proof
// it was, nil for nobody's.
func (r *ring) provePolicy(queue *store.Queue) (by *key) {
	name, proof, found := strings.Cut(queue.Policy, policyProof)
	queue.Policy = name
	id, text, _ := strings.Cut(proof, ":")
	switch by = r.all[id]; {
	case name == "":
		return nil
	case !found:
		queue.Doubt, by = &unproven{notSigned}, nil
	case by == nil:
		queue.Doubt = &unproven{unknownSign + task.Quote(id) + ", which this process does not have"}
	case !hmac.Equal([]byte(text), by.policyProof(queue.Name, name)):
		queue.Doubt, by = &unproven{badProof}, nil
	}
	if r.current == nil {
		queue.Doubt = nil
	}
	if queue.Doubt != nil {
		queue.Policy = ""
	}
	return by
}

// openQueues takes the proofs off queues. What this process has known of a queue goes on
// to hold where nobody vouches for what there is now.
func (s *Store) openQueues(queues []store.Queue) {
	for i := range queues {
		queue := &queues[i]
		s.ring.provePolicy(queue)
		if s.ring.current == nil {
			continue
		}
		if queue.Doubt == nil {
			s.policies.keep(queue.Name, queue.Policy)
			continue
		}
		queue.Policy, queue.Known = s.policies.of(queue.Name)
	}
}

func (s *Store) openQueue(queue *store.Queue, err error) (*store.Queue, error) {
	if err != nil {
		return nil, err
	}
	one := []store.Queue{*queue}
	s.openQueues(one)
	return &one[0], nil
}

// Queues implements [store.Config].
func (s *Store) Queues(ctx context.Context) ([]store.Queue, error) {
	queues, err := s.Backend.Queues(ctx)
	s.openQueues(queues)
	return queues, err
}

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	topology, err := s.Backend.Topology(ctx)
	if err != nil {
		return nil, err
	}
	s.openQueues(topology.Queues)
	return topology, nil
}

// PauseQueue implements [store.Admin].
func (s *Store) PauseQueue(ctx context.Context, name string, paused bool, audit ...store.Audit) (*store.Queue, error) {
	return s.openQueue(s.Backend.PauseQueue(ctx, name, paused, audit...))
}

// PutQueue implements [store.Config]. A queue that was read with a Doubt and gets no other
// policy keeps what it has.
func (s *Store) PutQueue(ctx context.Context, queue store.Queue, audit ...store.Audit) (*store.Queue, error) {
	if queue.Doubt != nil && !queue.Known && queue.Policy == "" {
		kept, err := s.queueAsKept(ctx, queue.Name)
		if err != nil {
			return nil, err
		}
		queue.Policy = kept.Policy
	} else if k := s.ring.signer; k != nil {
		queue.Policy = k.signPolicy(&queue)
	}
	queue.Doubt, queue.Known = nil, false
	return s.openQueue(s.Backend.PutQueue(ctx, queue, audit...))
}

func (s *Store) queueAsKept(ctx context.Context, name string) (store.Queue, error) {
	queues, err := s.Backend.Queues(ctx)
	if err != nil {
		return store.Queue{}, err
	}
	at := slices.IndexFunc(queues, func(q store.Queue) bool { return q.Name == name })
	if at < 0 {
		return store.Queue{}, task.NotFound("queue", name)
	}
	return queues[at], nil
}

// doubtedQueues lists the queues for whose policy nobody vouches, as objects.
func (s *Store) doubtedQueues(ctx context.Context) (doubted []store.Object, err error) {
	queues, err := s.Backend.Queues(ctx)
	strict := s.ring.strictly()
	for i := range queues {
		name, _, _ := strings.Cut(queues[i].Policy, policyProof)
		if strict.provePolicy(&queues[i]); queues[i].Doubt != nil {
			doubted = append(doubted, store.Object{Kind: KindQueuePolicy, Name: queues[i].Name, Body: jsonText(name), Doubt: queues[i].Doubt})
		}
	}
	return doubted, err
}

func jsonText(text string) []byte {
	out, _ := json.Marshal(text) // a text has a JSON form
	return out
}

// adoptQueue vouches for the policy of a queue as it was listed.
func (s *Store) adoptQueue(ctx context.Context, o *store.Object, audit []store.Audit) error {
	queue, err := s.queueAsKept(ctx, o.Name)
	if err != nil {
		return err
	}
	queue.Policy, _, _ = strings.Cut(queue.Policy, policyProof)
	if !bytes.Equal(jsonText(queue.Policy), o.Body) {
		return &task.Error{Code: task.CodeConflict, Message: "the queue " + task.Quote(o.Name) + " has another policy now"}
	}
	_, err = s.PutQueue(ctx, queue, audit...)
	return err
}

// signQueuesAgain is signAgain for the policies of queues.
func (s *Store) signQueuesAgain(ctx context.Context) error {
	queues, err := s.Backend.Queues(ctx)
	for i := range queues {
		if by := s.ring.provePolicy(&queues[i]); by != nil && by != s.ring.current && queues[i].Doubt == nil {
			if _, err := s.PutQueue(ctx, queues[i]); err != nil {
				return err
			}
		}
	}
	return err
}
