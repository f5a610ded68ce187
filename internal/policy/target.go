package policy

import (
	"encoding/json"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindTarget is the kind of the objects that say what holds for a target: a host, or
// host and port, that tasks call, or the type of tasks that call nothing.
const KindTarget = "target"

// Target is what is said of a target.
type Target struct {
	// Concurrency is how many attempts may run at once over all nodes, 0 for no limit.
	Concurrency int `json:"concurrency"`
}

func (s *Set) addTarget(o *store.Object) error {
	var t Target
	if err := json.Unmarshal(o.Body, &t); err != nil {
		return fmt.Errorf("target %s: %w", task.Quote(o.Name), err)
	}
	s.limit(o.Name, t)
	return nil
}

func (s *Set) limit(name string, t Target) {
	if s.targets == nil {
		s.targets = map[string]Target{}
	}
	s.targets[name] = t
}
