package sealed

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// sealedKinds are the objects that keep something of a task: the last alert that
// was held back, or the one that waits for its channel, with the text of the error.
// Others are configuration.
var sealedKinds = map[string]bool{"alert.state": true, "alert.slots": true}

func objectPart(o *store.Object) part { return part{of: []byte(o.Kind + "/" + o.Name), name: "object"} }

// sealObjects are the objects as they go to the store.
func (k *key) sealObjects(objects []store.Object) []store.Object {
	var sealed []store.Object
	for i := range objects {
		if !sealedKinds[objects[i].Kind] || len(objects[i].Body) == 0 {
			continue
		}
		if sealed == nil {
			sealed = append(sealed, objects...)
		}
		sealed[i].Body = jsonOf(k.seal(objectPart(&objects[i]), objects[i].Body))
	}
	if sealed == nil {
		return objects
	}
	return sealed
}

// openObject opens an object in place. One that does not open has no body: it is
// state, which begins anew.
func (r *ring) openObject(o *store.Object) {
	if !sealedKinds[o.Kind] || !jsonHasSealed(o.Body) {
		return
	}
	o.Body, _ = r.openMarked(objectPart(o), string(o.Body[1:len(o.Body)-1]))
}

// openAfter opens objects that were read after known was, and notes what they are.
func (s *Store) openAfter(known map[objectName]int64, objects []store.Object) {
	for i := range objects {
		o := &objects[i]
		s.ring.prove(o)
		if s.ring.current != nil && o.Doubt == nil && o.Version < known[objectName{o.Kind, o.Name}] {
			o.Body, o.Doubt = nil, &unproven{wentBack}
		}
		s.ring.openObject(o)
	}
	if s.ring.current != nil {
		s.seen.add(objects)
	}
}

// Object implements [store.Config].
func (s *Store) Object(ctx context.Context, kind, name string) (*store.Object, error) {
	known := s.seen.before()
	object, err := s.Backend.Object(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	one := []store.Object{*object}
	s.openAfter(known, one)
	return &one[0], nil
}

// Objects implements [store.Config].
func (s *Store) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	known := s.seen.before()
	objects, err := s.Backend.Objects(ctx, kind)
	s.openAfter(known, objects)
	return objects, err
}

// ObjectVersions implements [store.Config].
func (s *Store) ObjectVersions(ctx context.Context, kind, name string, limit int) ([]store.Object, error) {
	versions, err := s.Backend.ObjectVersions(ctx, kind, name, limit)
	for i := range versions {
		s.ring.prove(&versions[i])
		s.ring.openObject(&versions[i])
	}
	return versions, err
}
