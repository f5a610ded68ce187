package outlast

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/outlast-dev/outlast/internal/wakeup"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// waker is the part of a client that wakes other nodes and is woken by them.
type waker struct {
	caller *wakeup.Caller
	key    string // of this node, "" when nobody can call it
}

func newWaker(address string) *waker {
	w := &waker{caller: wakeup.New()}
	if address != "" {
		w.key = rand.Text()
	}
	return w
}

func (w *waker) tell(ctx context.Context, node store.Node, lanes []uint16) error {
	return w.caller.Tell(ctx, node, lanes)
}

// accepts compares a key in a time that does not depend on it.
func (w *waker) accepts(key string) bool {
	given, own := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(w.key))
	return w.key != "" && subtle.ConstantTimeCompare(given[:], own[:]) == 1
}

// Wake takes the call of another node that has changed rows of the lanes, or
// anything if there are none. The key must be the one in this node's row of
// the database; it is new at every start. The only effect is a look at the
// lanes, and at the queues if there are none. Code "denied" for another key.
// Servers with an API of their own pass the calls of POST /v1/nodes/wake on.
func (c *Client) Wake(key string, lanes ...uint16) error {
	if err := c.running(); err != nil {
		return err
	}
	if !c.waker.accepts(key) {
		return &Error{Code: task.CodeDenied, Message: "this is not the wake key of the node", Hint: "only nodes of the same database make this call; the key is in the node's row and new at every start"}
	}
	c.engine.Heard(lanes...)
	return nil
}
