package outlast

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/internal/admission"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What servers and tests ask of a client is none of its methods: they are for everybody.
func init() {
	serving.Provide(
		func(client any) serving.Node { return &served{client.(*Client)} },
		func(draft any, policy json.RawMessage) { draft.(*Draft).made.retry = policy },
	)
}

// served is a client as its server, or a test, sees it.
type served struct{ client *Client }

// Wake implements [serving.Node].
func (s *served) Wake(key string, lanes ...uint16) error {
	if err := s.client.running(); err != nil {
		return err
	}
	if !s.client.key.Accepts(key) {
		return &Error{Code: task.CodeDenied, Message: "this is not the wake key of the node", Hint: "only nodes of the same database make this call; the key is in the node's row and new at every start"}
	}
	s.client.engine.Heard(lanes...)
	return nil
}

// Configuration implements [serving.Node].
func (s *served) Configuration(ctx context.Context) (store.Config, error) {
	return s.client.backend, admission.Admit(ctx, s.client.backend, true)
}

// ready reads, before the start, what a node needs to know to accept tasks.
func (c *Client) ready(ctx context.Context) error {
	c.startStop.Lock()
	defer c.startStop.Unlock()
	if c.state.Load() != opened {
		return nil
	}
	if err := c.makeReady(ctx); err != nil {
		return err
	}
	return c.engine.Refresh(ctx)
}

// Try implements [serving.Node].
func (s *served) Try(ctx context.Context, draft any, attempt int, random retry.Rand) (engine.Tried, error) {
	if err := s.client.ready(ctx); err != nil {
		return engine.Tried{}, err
	}
	of := draft.(Draft)
	insert, err := s.client.enqueuer.Prepare(ctx, of.plain(), "", false)
	if err != nil {
		return engine.Tried{}, err
	}
	insert.Task.Attempt, insert.Task.Claim = attempt, int64(attempt)
	return engine.Try(ctx, s.client.registry, insert.Task, random)
}
