package keeper

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/task"
)

// here is a channel that this node can send to.
func (s *Sender) here(channel string) (alert.Channel, error) {
	if to := s.book.Channels()[channel]; to != nil {
		return to, nil
	}
	if err := s.book.Wrong()[alerts.KindChannel+"/"+channel]; err != nil {
		return nil, &task.Error{Code: task.CodeInvalid, Message: "the channel " + task.Quote(channel) + " is not configured so that this node can use it: " + err.Error(), Hint: "nothing was sent; outlast alert channels shows which can be used"}
	}
	return nil, &task.Error{Code: task.CodeUnavailable, Message: "the channel " + task.Quote(channel) + " belongs to another node"}
}

// Probe tries a channel without a message; see [Prober].
func (s *Sender) Probe(ctx context.Context, channel string) error {
	to, err := s.here(channel)
	if err != nil {
		return err
	}
	prober, ok := to.(alerts.Prober)
	if !ok {
		return &task.Error{Code: task.CodeConflict, Message: "the channel " + task.Quote(channel) + " is a function of an application, which can only be tried by a message", Hint: "outlast alert test " + channel}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.book.timeout(channel), errSendTimeout)
	defer cancel()
	return prober.Probe(ctx)
}

// Test sends a message to a channel at once, within its rate.
func (s *Sender) Test(ctx context.Context, channel string) error {
	to, err := s.here(channel)
	if err != nil {
		return err
	}
	id := task.NewID(time.Now(), random{})
	m := &alert.Message{
		ID: id.String(), Kind: alert.Test, Rule: "test", Subject: channel, Severity: alert.Info, At: time.Now().UTC(),
		Text: "this is a test of the channel " + channel + "; nothing is wrong", Fields: alerts.Fields("node", s.Node.Node()),
	}
	if _, err := s.slot(ctx, id, channel, &delivery{Message: m, Whole: true}); err != nil {
		if later, ok := errors.AsType[*Later](err); ok {
			return &task.Error{Code: task.CodeUnavailable, Message: later.Error(), RetryAfter: later.After}
		}
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.book.timeout(channel), errSendTimeout)
	defer cancel()
	err = to.Send(ctx, s.linked(m))
	s.sent(channel, err)
	return err
}
