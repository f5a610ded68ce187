package policy

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Set is what holds on a node: the named policies, what is said of types, and
// whether there are retries at all. Reads take no lock unless a limit of a type or
// the switch changes a policy. It is immutable but for a cache.
type Set struct {
	policies map[string]*Policy
	types    map[string]*Type
	targets  map[string]Target
	off      bool
	switched bool    // somebody has said whether there are retries
	standard *Policy // the one that was put under its name, nil for none
	doubts   map[doubtful]error
	unread   map[string]error // policies that are kept and that this program cannot read, by name

	mu       sync.RWMutex
	variants map[variant]*retry.Policy
}

// variant is a policy with another limit, 0 for none at all.
type variant struct {
	of       *retry.Policy
	attempts int
}

// doubtful names an object that nobody vouches for.
type doubtful struct{ kind, name string }

// mostVariants bounds the cache: callers with inline policies can bring many.
const mostVariants = 1024

// NewSet makes the set of the objects; those of other kinds are skipped. An object
// that cannot be read, such as one that a later version has written, is an error,
// and what before knew of it goes on to hold. Of one that nobody vouches for and of
// which nothing was known, [Set.Doubt] tells.
func NewSet(objects []store.Object, before *Set) (*Set, []error) {
	s := &Set{policies: map[string]*Policy{}, types: map[string]*Type{}}
	var problems []error
	for i := range objects {
		if err := s.add(&objects[i], before); err != nil {
			problems = append(problems, err)
		}
	}
	s.standard = s.policies[Default]
	return s, problems
}

// standard is one for all sets, so that targets keep their guards.
var standard = retry.Default()

// Doubt is why an object of a kind and name, which is there, holds for nobody: what
// would go by it has to wait. It is nil for others.
func (s *Set) Doubt(kind, name string) error { return s.doubts[doubtful{kind, name}] }

// Doubtful reports whether there is any object with a [Set.Doubt].
func (s *Set) Doubtful() bool { return len(s.doubts) > 0 }

// doubt takes over what was known of an object that nobody vouches for.
func (s *Set) doubt(o *store.Object, before *Set) error {
	if !s.keeps(o, before) {
		if s.doubts == nil {
			s.doubts = map[doubtful]error{}
		}
		s.doubts[doubtful{o.Kind, o.Name}] = o.Doubt
	}
	return fmt.Errorf("%s %s: %w", o.Kind, task.Quote(o.Name), o.Doubt)
}

// keeps lets what before knew of an object go on to hold, and reports whether it knew
// anything.
func (s *Set) keeps(o *store.Object, before *Set) bool {
	if before == nil {
		return false
	}
	switch o.Kind {
	case Kind:
		if known := before.policies[o.Name]; known != nil {
			s.policies[o.Name] = known
			return true
		}
	case KindType:
		if known := before.types[o.Name]; known != nil {
			s.types[o.Name] = known
			return true
		}
	case KindSetting:
		s.off, s.switched = before.off, before.switched
		return s.switched
	case KindTarget:
		if known, there := before.targets[o.Name]; there {
			s.limit(o.Name, known)
			return true
		}
	}
	return false
}

func (s *Set) add(o *store.Object, before *Set) (err error) {
	if o.Doubt != nil {
		return s.doubt(o, before)
	}
	switch o.Kind {
	case Kind:
		known := before.find(o.Name)
		if known != nil && known.Version == o.Version {
			s.policies[o.Name] = known // the same, so that targets keep their guards
			return nil
		}
		made, err := Read(o)
		if err != nil {
			if made = known; s.unread == nil {
				s.unread = map[string]error{}
			}
			s.unread[o.Name] = err
		} else {
			made.keepBase(known)
		}
		if made != nil {
			s.policies[o.Name] = made
		}
		return err
	case KindType:
		made, err := ParseType(o.Body)
		if err != nil {
			made, err = before.Type(o.Name), fmt.Errorf("type %s: %w", task.Quote(o.Name), err)
		}
		if made != nil {
			s.types[o.Name] = made
		}
		return err
	case KindTarget:
		return s.addTarget(o)
	case KindSetting:
		if o.Name == Retries {
			s.off, s.switched = !readSwitch(o.Body), true
		}
	}
	return nil
}

// readSwitch reads {"on": false}; what cannot be read is on.
func readSwitch(body []byte) bool {
	setting := struct {
		On bool `json:"on"`
	}{On: true}
	if json.Unmarshal(body, &setting) != nil {
		return true
	}
	return setting.On
}

func (s *Set) find(name string) *Policy {
	if s == nil {
		return nil
	}
	return s.policies[name]
}

// Find returns the newest version of the policy of a name, nil if none is kept
// under it.
func (s *Set) Find(name string) *Policy { return s.find(name) }

// Unread is why this program cannot read the policy that is kept under a name, nil for
// one that it can read and where none is kept.
func (s *Set) Unread(name string) error { return s.unread[name] }

// For returns the version of the policy of a name that holds for a task, nil if none
// is kept under it. It does not allocate.
func (s *Set) For(name string, id task.ID) *Policy {
	if p := s.find(name); p != nil {
		return p.For(id)
	}
	return nil
}

// Policies lists the kept policies by name.
func (s *Set) Policies() []*Policy {
	all := make([]*Policy, 0, len(s.policies))
	for _, p := range s.policies {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Policy) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Type returns what is said of a type, nil for nothing.
func (s *Set) Type(name string) *Type {
	if s == nil {
		return nil
	}
	return s.types[name]
}

// Types lists the types of which something is said, by name.
func (s *Set) Types() []string {
	names := make([]string, 0, len(s.types))
	for name := range s.types {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Off reports whether retries are turned off for all.
func (s *Set) Off() bool { return s.off }

// Standard is the policy of a task for which nothing names one.
func (s *Set) Standard(id task.ID) *retry.Policy {
	if s.standard == nil {
		return standard
	}
	return s.standard.For(id).Policy
}

// Effective is a policy under what holds for the type of its task, and for all.
func (s *Set) Effective(p *retry.Policy, of *Type) *retry.Policy {
	switch {
	case s.off:
		return s.variant(variant{p, 0})
	case of != nil && of.MaxAttempts != nil && *of.MaxAttempts != p.MaxAttempts():
		return s.variant(variant{p, *of.MaxAttempts})
	}
	return p
}

func (s *Set) variant(v variant) *retry.Policy {
	s.mu.RLock()
	made := s.variants[v]
	s.mu.RUnlock()
	if made != nil {
		return made
	}
	if made = v.of.Once(); v.attempts > 0 {
		limited, err := v.of.Limited(v.attempts)
		if err != nil {
			return v.of // types were checked before
		}
		made = limited
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.variants == nil || len(s.variants) >= mostVariants {
		s.variants = make(map[variant]*retry.Policy)
	}
	s.variants[v] = made
	return made
}

// TargetLimit is how many attempts of a target may run at once over all nodes, 0 for
// no limit: what is said of its host and port, else of its host.
func (s *Set) TargetLimit(name string) int {
	if len(s.targets) == 0 {
		return 0
	}
	if t, known := s.targets[name]; known {
		return t.Concurrency
	}
	if host, _, err := net.SplitHostPort(name); err == nil {
		return s.targets[host].Concurrency
	}
	return 0
}
