package sealed

import (
	"context"
	"errors"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostAdopted is how many objects are signed in one change.
const mostAdopted = 200

// Unproven lists the objects of all kinds for which nobody vouches, each with what it
// says and with its Doubt. State that is kept sealed is not among them: it begins anew.
// The policy that a queue names is one of the kind [KindQueuePolicy].
func (s *Store) Unproven(ctx context.Context) ([]store.Object, error) {
	if s.ring.signer == nil {
		return nil, nil
	}
	objects, err := s.doubted(ctx, "")
	if err != nil {
		return nil, err
	}
	queues, err := s.doubtedQueues(ctx)
	return append(objects, queues...), err
}

// strictly is the ring as one for which nobody vouches for what is not signed, also where
// that is still taken.
func (r *ring) strictly() *ring {
	strict := *r
	strict.current = r.signer
	return &strict
}

func (s *Store) doubted(ctx context.Context, kind string) (doubted []store.Object, err error) {
	known := s.seen.before()
	objects, err := s.Backend.Objects(ctx, kind)
	if err != nil {
		return nil, err
	}
	strict := s.ring.strictly()
	for i := range objects {
		o := &objects[i]
		if sealedKinds[o.Kind] {
			continue
		}
		_, _, says, _ := parted(o.Body)
		strict.prove(o)
		if o.Doubt == nil && s.ring.current != nil && o.Version < known[objectName{o.Kind, o.Name}] {
			o.Doubt = &unproven{wentBack}
		}
		if o.Doubt != nil {
			o.Body = says
			doubted = append(doubted, *o)
		}
	}
	return doubted, nil
}

// Adopt vouches for objects as they were listed, in the name of who has looked at them:
// each becomes a version of its own that is authenticated. It returns how many it has
// done; one that has changed meanwhile is a conflict, and those before it are done.
func (s *Store) Adopt(ctx context.Context, objects []store.Object, by store.Audit) (done int, err error) {
	if s.ring.signer == nil {
		return 0, task.Invalid("encryption.keys", "there is no key to vouch with", "give the key with which the nodes encrypt")
	}
	audit := func(o *store.Object) []store.Audit {
		row := by
		row.Action, row.Subject, row.After = "config.adopt", o.Kind+"/"+o.Name, hideTokens(o)
		return []store.Audit{row}
	}
	isQueue := func(o store.Object) bool { return o.Kind == KindQueuePolicy }
	done, err = s.putAgain(ctx, slices.DeleteFunc(slices.Clone(objects), isQueue), audit)
	for i := range objects {
		if err != nil {
			return done, err
		}
		if isQueue(objects[i]) {
			if err = s.adoptQueue(ctx, &objects[i], audit(&objects[i])); err == nil {
				done++
			}
		}
	}
	return done, err
}

// hideTokens is what the audit log keeps of an object: nothing of a token, whose body has
// a hash that is in no other place.
func hideTokens(o *store.Object) []byte {
	if o.Kind == "token" {
		return nil
	}
	return o.Body
}

// putAgain puts objects as they are, signed. Those that steer have their versions kept,
// and nodes hear of them.
func (s *Store) putAgain(ctx context.Context, objects []store.Object, audit func(*store.Object) []store.Audit) (done int, err error) {
	for _, quiet := range []bool{false, true} {
		some := slices.DeleteFunc(slices.Clone(objects), func(o store.Object) bool {
			return quiet == (slices.Contains(steering, o.Kind) && o.Kind != "token")
		})
		for part := range slices.Chunk(some, mostAdopted) {
			change := store.Change{Quiet: quiet, Put: slices.Clone(part), Sign: s.ring.signer.sign}
			for i := range change.Put {
				change.Put[i].Doubt = nil
				change.Audit = append(change.Audit, audit(&change.Put[i])...)
			}
			changed, err := s.Backend.Change(ctx, change)
			if err != nil {
				return done, err
			}
			s.seen.add(changed.Put)
			done += len(part)
		}
	}
	return done, nil
}

// signAgain signs with the key of now what was signed with an earlier one, so that this
// is not needed any more. Several processes may do so at once.
func (s *Store) signAgain(ctx context.Context) error {
	if s.ring.current == nil || len(s.ring.all) < 2 {
		return nil
	}
	for range 3 {
		objects, err := s.Backend.Objects(ctx, "")
		if err != nil {
			return err
		}
		old := objects[:0]
		for i := range objects {
			o := objects[i]
			_, _, says, _ := parted(o.Body)
			if by := s.ring.prove(&o); by != nil && by != s.ring.current && o.Doubt == nil {
				o.Body = says
				old = append(old, o)
			}
		}
		if len(old) == 0 {
			return s.signQueuesAgain(ctx)
		}
		_, err = s.putAgain(ctx, old, func(*store.Object) []store.Audit { return nil })
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return err
		}
	}
	return nil // others change them, and sign what they put
}
