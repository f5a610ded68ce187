package outlast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/alert/channel"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// makeAlerts makes the keeper of this node's alerts.
func (c *Client) makeAlerts() {
	config := alert.Config{
		Backend: c.backend, Node: &alertNode{c}, Logger: c.logger, Backlog: c.dead.Backlog, Functions: c.alertFuncs,
		Serve: c.registry.serveAlerts, Groups: newGroupWatch(c).samples, Keys: func() map[string]int { return c.sealing.Unopened() }, Changes: (&changeWatch{client: c}).samples,
		Read: readChannel, Open: c.openChannel,
	}
	if c.metrics != nil {
		config.Told = func(channel, result string) { c.metrics.told(channel, result) }
	}
	c.alerts = alert.New(config)
}

func readChannel(body []byte) (alert.Settings, error) {
	spec, err := channel.Parse(body)
	if err != nil {
		return alert.Settings{}, err
	}
	return spec.Settings(), nil
}

// openChannel makes the channel of a body that has been read; that of the log is nil.
func (c *Client) openChannel(name string, body []byte) (alert.Channel, error) {
	spec := &channel.Spec{Kind: channel.Log}
	if body != nil {
		var err error
		if spec, err = channel.Parse(body); err != nil {
			return nil, err
		}
	}
	spec.Name = name
	return channel.New(spec, channel.Options{HTTP: c.outbound(), Logger: c.logger, Trusted: isAmong(c.ownChannels, spec)})
}

// isAmong reports whether a channel stands in the configuration of this process as it
// is in the store. Only then may it name any variable and file of it.
func isAmong(own func(name string) []*channel.Spec, spec *channel.Spec) bool {
	if own == nil {
		return false
	}
	return slices.ContainsFunc(own(spec.Name), func(own *channel.Spec) bool {
		same := *own
		same.Name = spec.Name
		return reflect.DeepEqual(&same, spec)
	})
}

func (c *Client) outbound() *safehttp.Client { return c.registry.outbound }

// alertNode is the engine as alerts see it: it is made after them.
type alertNode struct{ client *Client }

func (n *alertNode) Wake(lanes ...uint16)                  { n.client.engine.Wake(lanes...) }
func (n *alertNode) Topology() *store.Topology             { return n.client.engine.Topology() }
func (n *alertNode) Node() string                          { return n.client.engine.Node() }
func (n *alertNode) Queue(name string) (store.Queue, bool) { return n.client.engine.Queue(name) }

// alertLanes are those of the queue of alerts: they are few, and wait.
const alertLanes = 2

// AlertWhen says when people are told about tasks of the type: a condition in
// CEL over what happens to one, such as "attempt > 1 && attempt < 5" or
// event == "dead"; see docs/alerts.md for the variables. An alert of the task
// itself goes before. They are told through the channels of [AlertTo], else
// through the default channels, else by the log.
func AlertWhen(condition string) HandleOption {
	return func(r *typeRules) { r.alertWhen = condition }
}

// AlertTo names the channel for the alerts of a type, or is a Go function that
// is called with them, on a node that has this handler. Without [AlertWhen] they
// are about its dead letters. A function that returns an error is called again.
// The option may be given several times, with one function at most.
func AlertTo[C ~string | ~func(context.Context, *alert.Message) error](channel C) HandleOption {
	return func(r *typeRules) {
		switch to := any(channel).(type) {
		case func(context.Context, *alert.Message) error:
			r.alertFunc = to
		case alert.ChannelFunc:
			r.alertFunc = to
		default:
			r.alertTo = append(r.alertTo, fmt.Sprint(to))
		}
	}
}

// WithAlertFunc makes a Go function a channel of this process, under a name that
// rules can use as that of any other.
func WithAlertFunc(name string, send func(context.Context, *alert.Message) error) Option {
	return func(o *options) {
		if o.alertFuncs == nil {
			o.alertFuncs = map[string]alert.Channel{}
		}
		o.alertFuncs[name] = alert.ChannelFunc(send)
	}
}

// channelFor says which names of channels are unknown. Where there is no channel at all
// nothing is refused: its process may be still to come, and the log is told meanwhile.
// The store is asked for those that this node does not know once, however many are named.
func (c *Client) channelFor(ctx context.Context) accept.ChannelCheck {
	asked := sync.OnceValue(func() map[string]bool { return c.storedChannels(ctx) })
	return func(name string) (string, bool) {
		if c.alerts.Knows(name) || c.alerts.Names()[name] {
			return "", false
		}
		if stored := asked(); stored == nil || stored[name] {
			return "", false
		}
		known := c.alerts.Names()
		return alert.ChannelHint(name, known), !known[name] && len(known) > 1
	}
}

// storedChannels are the names of the channels in the store, nil if it cannot be asked.
// It looks for functions of nodes that have just come too, but not at every call.
func (c *Client) storedChannels(ctx context.Context) map[string]bool {
	objects, err := c.backend.Objects(ctx, alert.KindChannel)
	if err == nil && c.looked.allow(200*time.Millisecond) {
		err = errors.Join(c.engine.Refresh(ctx), c.alerts.Renew(ctx))
	}
	if err != nil {
		return nil
	}
	names := make(map[string]bool, len(objects))
	for i := range objects {
		names[objects[i].Name] = true
	}
	return names
}

// funcChannel is the channel of a type's own function. Types may have
// characters that channels may not, and be longer.
func funcChannel(taskType string) string {
	name := "func." + strings.ReplaceAll(taskType, ":", "_")
	if len(name) > 64 {
		name = name[:48] + fmt.Sprintf("%016x", accept.LaneHash(taskType))
	}
	return name
}

// alertOptions puts the options of a type together and checks them.
func alertOptions(c *accept.Complaints, r *typeRules) {
	if r.alertWhen == "" && len(r.alertTo) == 0 && r.alertFunc == nil {
		return
	}
	text, err := json.Marshal(alert.TaskRule{When: r.alertWhen, Channels: r.alertTo})
	if err == nil {
		_, err = alert.ParseTaskRule(text)
	}
	c.RetryErr("alert", err)
	r.alert = text
}

// nameFunc adds the channel of the type's function to its alert.
func (r *typeRules) nameFunc(taskType string) {
	r.alert, _ = json.Marshal(alert.TaskRule{When: r.alertWhen, Channels: append(slices.Clone(r.alertTo), funcChannel(taskType))})
}

// alertOf is the alert of a task: its own, that of its type's handler here, that
// of its policy.
func (r *registry) alertOf(t *task.Task) json.RawMessage {
	if len(t.Spec.Alert) > 0 {
		return t.Spec.Alert
	}
	if h := r.lookup(t.Type); h != nil && h.rules.alert != nil {
		return h.rules.alert
	}
	chosen, name, err := r.policyOf(t)
	if err != nil || chosen.Version() == 0 {
		return nil
	}
	if kept := r.set.Load().For(name, t.ID); kept != nil {
		return kept.Alert
	}
	return nil
}

// alertObserver is what the engine tells the keeper of alerts.
func (c *Client) alertObserver() engine.Observer {
	return engine.Observer{
		Settled:   func(o engine.Outcome) { c.alerts.Attempted(o.Settlement) },
		Recovered: func(r store.Recovered) { c.alerts.Crashed(r) },
		Lost:      func(rows []store.Recovered) { c.alerts.Lost(rows) },
		BreakerChanged: func(target string, change retry.BreakerChange) {
			if !strings.HasPrefix(target, alert.SendType("")) {
				c.alerts.BreakerChanged(target, change.From.String(), change.To.String(), change.Cause)
			}
		},
	}
}

// serveAlerts makes the tasks of alerts startable here: those of the channels
// that this node can send to, and those before.
func (r *registry) serveAlerts(channels []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	handlers := map[string]*handler{}
	for name, h := range *r.handlers.Load() {
		if !strings.HasPrefix(name, alert.SendType("")) {
			handlers[name] = h
		}
	}
	keeper := func() *alert.Keeper { return r.client.alerts }
	handlers[alert.TypeRaise] = alertHandler(func(ctx context.Context, t *task.Task) ([]byte, error) {
		return nil, keeper().Raise(ctx, t.ID, t.Payload)
	})
	handlers[alert.TypeDigest] = alertHandler(func(ctx context.Context, t *task.Task) ([]byte, error) {
		return nil, keeper().Digest(ctx, t.ID, t.Payload)
	})
	for _, name := range channels {
		handlers[alert.SendType(name)] = alertHandler(func(ctx context.Context, t *task.Task) ([]byte, error) {
			result, err := keeper().Send(ctx, t.ID, name, t.Payload)
			return result, r.client.exhausted(err, exhaustedAlertWait)
		})
	}
	r.publish(handlers)
}

// alertHandler runs a step of an alert; one that must wait costs no attempt. Only
// the engine puts tasks into the queue of alerts: what is elsewhere is somebody's
// who would speak in its name, or silence it.
func alertHandler(do func(ctx context.Context, t *task.Task) ([]byte, error)) *handler {
	return &handler{run: func(ctx context.Context, run *engine.Run) ([]byte, error) {
		if !isInternal(run.Task.Queue) {
			return nil, Dead(errors.New("a task of an alert outside of the queue " + alert.Queue))
		}
		result, err := do(ctx, run.Task)
		if later, ok := errors.AsType[*alert.Later](err); ok {
			return nil, Snooze(later.After)
		}
		return result, err
	}}
}
