package keeper

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// Book is the rules, channels and silences that hold on this node. It is safe for
// concurrent use.
type Book struct {
	config  *Config
	edition atomic.Pointer[edition]
	tasks   taskRules

	opening   sync.Mutex // held while channels are opened
	functions map[string]alert.Channel
	channels  atomic.Pointer[map[string]alert.Channel]

	reading sync.Mutex // held while the configuration is read, so that what is read last holds
	version int64      // of the configuration that was read
}

func newBook(config *Config) *Book {
	b := &Book{config: config, functions: config.Functions, version: -1, tasks: taskRules{logger: config.Logger}}
	b.publish(newEdition(alerts.Builtin(config.Backlog), nil, config.Read))
	return b
}

// Load reads rules, channels and silences. [Keeper.Start] goes on to look for changes.
func (b *Book) Load(ctx context.Context) error {
	b.reading.Lock()
	defer b.reading.Unlock()
	return b.load(ctx)
}

func (b *Book) load(ctx context.Context) error {
	rules, err := b.config.Backend.Objects(ctx, alerts.KindRule)
	if err != nil {
		return err
	}
	channels, err := b.config.Backend.Objects(ctx, alerts.KindChannel)
	if err != nil {
		return err
	}
	silences, err := b.config.Backend.Objects(ctx, alerts.KindSilence)
	if err != nil {
		return err
	}
	b.publish(newEdition(alerts.Builtin(b.config.Backlog), slices.Concat(rules, channels, silences), b.config.Read))
	return nil
}

// AddFunction makes a Go function a channel of this process.
func (b *Book) AddFunction(name string, channel alert.Channel) {
	b.opening.Lock()
	b.functions = maps.Clone(b.functions)
	if b.functions == nil {
		b.functions = map[string]alert.Channel{}
	}
	b.functions[name] = channel
	b.opening.Unlock()
	b.publish(nil)
}

// publish makes an edition the one that holds, nil for that which does, and opens its
// channels.
func (b *Book) publish(next *edition) {
	b.opening.Lock()
	defer b.opening.Unlock()
	if next == nil {
		next = b.edition.Load()
	}
	again := *next
	again.wrong = maps.Clone(next.wrong)
	maps.DeleteFunc(again.wrong, func(what string, _ error) bool {
		_, read := next.channels[strings.TrimPrefix(what, alerts.KindChannel+"/")]
		return read
	})
	open := b.open(&again)
	for what, err := range again.wrong {
		b.config.Logger.Warn("alert.refused", "object", what, "error", err)
	}
	b.channels.Store(&open)
	b.edition.Store(&again)
	if b.config.Serve != nil {
		names := make([]string, 0, len(open))
		for name := range open {
			names = append(names, name)
		}
		b.config.Serve(names)
	}
}

// open opens the channels of an edition, and notes those that cannot be.
func (b *Book) open(of *edition) map[string]alert.Channel {
	open := map[string]alert.Channel{}
	for name, made := range b.functions {
		open[name] = made
	}
	if b.config.Open == nil {
		return open
	}
	bodies := map[string][]byte{alerts.LogChannel: nil}
	for name, of := range of.channels {
		bodies[name] = of.body
	}
	for name, body := range bodies {
		if open[name] != nil {
			continue
		}
		made, err := b.config.Open(name, body)
		if err != nil {
			b.config.Logger.Warn("alert.channel_unusable", "channel", name, "error", err)
			of.wrong[alerts.KindChannel+"/"+name] = err
			continue
		}
		open[name] = made
	}
	return open
}

// Renew reads rules and channels if the node knows that the configuration has changed
// since they were read.
func (b *Book) Renew(ctx context.Context) error {
	b.reading.Lock()
	defer b.reading.Unlock()
	version := b.config.Node.Topology().Config
	if version == b.version {
		return nil
	}
	err := b.load(ctx)
	if err == nil {
		b.version = version
	}
	return err
}

// Names are the channels that a task can be told through: the log, those that are
// configured, and the functions of this process and of other living ones.
func (b *Book) Names() map[string]bool {
	known := map[string]bool{alerts.LogChannel: true}
	for name := range b.edition.Load().channels {
		known[name] = true
	}
	for name := range *b.channels.Load() {
		known[name] = true
	}
	for _, node := range b.config.Node.Topology().Nodes {
		if node.State != store.NodeAlive || node.Gone {
			continue
		}
		for _, served := range node.Serves[alerts.Queue].Types {
			if name, sends := alerts.ChannelOf(served); sends {
				known[name] = true
			}
		}
	}
	return known
}

// Knows reports whether a channel is the log, configured, or a function of this process.
func (b *Book) Knows(channel string) bool {
	return channel == alerts.LogChannel || b.edition.Load().channels[channel] != nil || (*b.channels.Load())[channel] != nil
}

// Channels are the names of the channels that this node can send to.
func (b *Book) Channels() map[string]alert.Channel { return *b.channels.Load() }

// Wrong is why rules and channels are not in use here, by "rule/NAME" or
// "channel/NAME", and the conditions of tasks' own alerts, by "tasks/alerts".
func (b *Book) Wrong() map[string]error {
	wrong := b.edition.Load().wrong
	if b.tasks.unread.Load() {
		wrong = maps.Clone(wrong)
		wrong[tasksAlerts] = errUnread
	}
	return wrong
}

// Unheard says who is not told what the built-in rules hold for, "" where somebody is:
// there are channels, and none is a default one, so that what names no channel goes to
// the log only.
func (b *Book) Unheard() string {
	now := b.edition.Load()
	channels := map[string]bool{}
	for name, of := range now.channels {
		channels[name] = of.Default
	}
	return alerts.Unheard(channels, now.all)
}
