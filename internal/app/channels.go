package app

import (
	"sync/atomic"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/config"
)

// ownChannels are the alert channels of this node's configuration file, and of the one
// before: what is in the database may be either while the file is being applied.
type ownChannels struct {
	byName atomic.Pointer[map[string][]*alert.ChannelSpec]
}

func (o *ownChannels) are(files ...*config.File) {
	all := map[string][]*alert.ChannelSpec{}
	for _, file := range files {
		for name, part := range file.Alerts.Channels {
			if spec, err := channel.Parse(part.Body); err == nil {
				all[name] = append(all[name], spec)
			}
		}
	}
	o.byName.Store(&all)
}

func (o *ownChannels) of(name string) []*alert.ChannelSpec {
	all := o.byName.Load()
	if all == nil {
		return nil
	}
	return (*all)[name]
}
