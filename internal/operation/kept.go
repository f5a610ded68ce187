package operation

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Base is what the operations of all kinds keep of what was asked for. Each kind has a
// type that embeds it, and a Progress that embeds [Progress]: as JSON that type is
// the request which the operation keeps.
type Base struct {
	*store.Operation `json:"-"`
	Unread           bool `json:"-"` // the request does not open here: it stays as it is, and the fields below say nothing

	Filter store.Filter `json:"filter"`
	Queues []string     `json:"queues,omitempty"` // of what is named
	IDs    []task.ID    `json:"ids,omitempty"`    // until they are planned
	Named  int          `json:"named,omitempty"`
}

// Progress is how far an operation has come. What is handled are the first
// Operation.Done items of its plan.
type Progress struct {
	Planned   int    `json:"planned"`           // items in the plan
	Complete  bool   `json:"complete"`          // the plan is
	Skipped   int    `json:"skipped"`           // items that were left alone
	Waiting   string `json:"waiting,omitempty"` // for what, "" for nothing
	Forgotten bool   `json:"forgotten,omitempty"`
}

// kept is a pointer to the type of the operations of a kind.
type kept[T any] interface {
	*T
	base() *Base
	progress() *Progress
}

func (b *Base) base() *Base             { return b } //nolint:unused // kept calls it
func (p *Progress) progress() *Progress { return p } //nolint:unused // kept calls it

// isOf reports whether the operation runs, and on the node.
func (b *Base) isOf(node string) bool {
	return !b.Unread && b.State == store.OperationRunning && b.Node == node
}

// About are the queues that the operation is about; none if it may be about all.
func (b *Base) About() []string {
	if b.Filter.Queue != "" {
		return []string{b.Filter.Queue}
	}
	return b.Queues
}

// Read reads an operation. One that is encrypted with a key that this node lacks is
// Unread, with an error that says so.
func Read[T any, W kept[T]](stored *store.Operation) (W, error) {
	o := W(new(T))
	b := o.base()
	b.Operation = stored
	if b.Unread = store.IsSealed(stored.Request); b.Unread {
		return o, sealed()
	}
	return o, json.Unmarshal(stored.Request, o)
}

// Save puts what has become of the request into the operation.
func Save[T any, W kept[T]](o W) (err error) {
	if b := o.base(); !b.Unread {
		b.Request, err = json.Marshal(o)
	}
	return err
}

// Shown is an operation as people see it; nil if it cannot be read. One that runs and
// does not open here says that it waits for its key.
func Shown[T any, W kept[T]](stored *store.Operation) W {
	o, err := Read[T, W](stored)
	switch {
	case err == nil:
		return o
	case o.base().Unread && stored.State == store.OperationRunning:
		o.progress().Waiting = "a node with its encryption key; the one asked does not have it"
		return o
	}
	return nil
}

// sealed is the error of an operation that is encrypted with a key that the node lacks.
func sealed() error {
	return &task.Error{Code: task.CodeConflict, Message: "the operation is encrypted with a key that this node does not have",
		Hint: "ask a node that has the key, or give it to this one; without the key it can only be canceled"}
}
