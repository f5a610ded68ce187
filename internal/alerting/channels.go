package alerting

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/internal/throttle"
	"github.com/outlast-dev/outlast/store"
)

// ReadChannel reads the settings of a channel.
func ReadChannel(body []byte) (alerts.Settings, error) {
	spec, err := channel.Parse(body)
	if err != nil {
		return alerts.Settings{}, err
	}
	return channel.Settings(spec), nil
}

// Opener opens channels.
type Opener struct {
	HTTP   *safehttp.Client // that channels send with
	Logger *slog.Logger
	// Own says what the configuration of this process says of a channel; nil where there is
	// none.
	Own func(name string) []*alert.ChannelSpec
}

// Open makes the channel of a body that has been read; that of the log is nil.
func (o *Opener) Open(name string, body []byte) (alert.Channel, error) {
	spec := &alert.ChannelSpec{Kind: alert.ToLog}
	if body != nil {
		var err error
		if spec, err = channel.Parse(body); err != nil {
			return nil, err
		}
	}
	spec.Name = name
	return channel.New(spec, channel.Options{HTTP: o.HTTP, Logger: o.Logger, Trusted: isAmong(o.Own, spec)})
}

// isAmong reports whether a channel stands in the configuration of this process as it
// is in the store. Only then may it name any variable and file of it.
func isAmong(own func(name string) []*alert.ChannelSpec, spec *alert.ChannelSpec) bool {
	if own == nil {
		return false
	}
	return slices.ContainsFunc(own(spec.Name), func(own *alert.ChannelSpec) bool {
		same := *own
		same.Name = spec.Name
		return reflect.DeepEqual(&same, spec)
	})
}

// Channels are those that tasks and policies may name.
type Channels struct {
	alerts  *keeper.Keeper
	backend store.Backend
	refresh func(context.Context) error // reads what other nodes tell
	looked  throttle.Throttle           // for unknown channels
}

// NewChannels makes what checks names of channels.
func NewChannels(of *keeper.Keeper, backend store.Backend, refresh func(context.Context) error) *Channels {
	return &Channels{alerts: of, backend: backend, refresh: refresh}
}

// Check says which names of channels are unknown. Where there is no channel at all
// nothing is refused: its process may be still to come, and the log is told meanwhile.
// The store is asked for those that this node does not know once, however many are named.
func (c *Channels) Check(ctx context.Context) accept.ChannelCheck {
	asked := sync.OnceValue(func() map[string]bool { return c.stored(ctx) })
	return func(name string) (string, bool) {
		if c.alerts.Book.Knows(name) || c.alerts.Book.Names()[name] {
			return "", false
		}
		if stored := asked(); stored == nil || stored[name] {
			return "", false
		}
		known := c.alerts.Book.Names()
		return alerts.ChannelHint(name, known), !known[name] && len(known) > 1
	}
}

// stored are the names of the channels in the store, nil if it cannot be asked.
// It looks for functions of nodes that have just come too, but not at every call.
func (c *Channels) stored(ctx context.Context) map[string]bool {
	objects, err := c.backend.Objects(ctx, alerts.KindChannel)
	if err == nil && c.looked.Allow(200*time.Millisecond) {
		err = errors.Join(c.refresh(ctx), c.alerts.Book.Renew(ctx))
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
