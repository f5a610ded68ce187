package outlast

import (
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/task"
)

// Target names what the handler calls for a payload, such as "stripe" or
// "api.example.com". Breaker, budget and limits then protect that, for all types
// that give the same name, and every failure counts that may be one of a target. In
// lists, orders and metrics it is "@stripe". "" leaves the type as the target. Names
// have 1 to 128 of the characters A-Z a-z 0-9 . _ : -; there should be few of them.
//
// The function is called where a task is enqueued, by a client that has registered
// the handler; what others enqueue, by HTTP for instance, has its type as target, and
// so has a payload that does not fit T. It must depend on nothing but the payload.
// T may have fewer fields than the payload of the handler.
func Target[T any](of func(payload T) string) HandleOption {
	return func(r *typeRules) {
		if r.names = true; of == nil {
			return
		}
		decode := decoder[T]()
		r.target = func(payload []byte) string {
			value, err := decode(payload)
			if err != nil {
				return "" // it is the handler's to refuse
			}
			return of(value)
		}
	}
}

// NoGuards lets nothing that tasks of the type do hold others back: no breaker, no
// budget and no learned limit counts how they end, whatever their policy says. Their
// own schedule of retries stays, and so does an operator's order to stop the target.
func NoGuards() HandleOption { return func(r *typeRules) { r.unguarded = true } }

// targetOptions refuses what options about the target cannot mean.
func targetOptions(c *accept.Complaints, r *typeRules) {
	switch {
	case r.names && r.target == nil:
		c.Add("target", "the function that names the target is nil", "")
	case r.names && r.unguarded:
		c.Add("target", "NoGuards stands beside Target", "a target that is named has guards; leave one of the two out")
	}
}

// targetOf is the target of a task that is made here.
func (r *registry) targetOf(taskType string, payload []byte, request *task.Request) (target string, err error) {
	if request != nil {
		return accept.TargetOf(taskType, request), nil
	}
	h := r.lookup(taskType)
	if h == nil || h.rules.target == nil {
		return taskType, nil
	}
	defer func() {
		if value := recover(); value != nil {
			target, err = taskType, fmt.Errorf("naming the target of %s panicked: %v", task.Quote(taskType), value)
		}
	}()
	switch name := h.rules.target(payload); {
	case name == "":
		return taskType, nil
	case !accept.IsName(name) || len(name) > task.MaxName:
		return taskType, fmt.Errorf("the handler of %s names %s as the target", task.Quote(taskType), task.Quote(name))
	default:
		return task.NamedTarget(name), nil
	}
}

// isUnguarded tells the engine of [NoGuards].
func (r *registry) isUnguarded(taskType string) bool {
	h := r.lookup(taskType)
	return h != nil && h.rules.unguarded
}

// untested reports whether a target is a worker group that may be away: none of its
// living members has taken a task of this node.
func (c *Client) untested(target string) bool {
	name, isGroup := strings.CutPrefix(target, accept.GroupTarget)
	return isGroup && !c.groups.Tested(name)
}

// targetLimit is how many attempts of a target may run at once over all nodes, 0 for
// no limit: what is configured, and of a worker group no more than its members take.
func (c *Client) targetLimit(target string) int {
	limit := c.registry.set.Load().TargetLimit(target)
	if name, ok := strings.CutPrefix(target, accept.GroupTarget); ok {
		if capacity := c.groups.Capacity(name); capacity > 0 && (limit == 0 || capacity < limit) {
			return capacity
		}
	}
	return limit
}
