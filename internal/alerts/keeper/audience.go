package keeper

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
)

// mute are the channels that a silence now keeps a rule's message from.
func (b *Book) mute(of *alert.Message, rule string, channels []string) (mute []string) {
	m := *of
	m.Rule = rule
	for _, channel := range channels {
		if b.silence(&m, channel) != nil {
			mute = append(mute, channel)
		}
	}
	return mute
}

// audience is who is told.
type audience struct {
	channels []string
	unknown  []string // names of no channel; the default channels are told too
	instead  []string // those that are told for that reason only
}

// audience of the channels that a rule names.
func (b *Book) audience(named []string) (a audience) {
	a.unknown = b.unknown(named)
	for _, channel := range b.edition.Load().to(named) {
		if !slices.Contains(a.channels, channel) {
			a.channels = append(a.channels, channel)
		}
	}
	if len(a.unknown) == 0 {
		return a
	}
	for _, channel := range b.edition.Load().to(nil) { // a task may name any channel, and its alert must not wait unseen
		if !slices.Contains(a.channels, channel) {
			a.channels, a.instead = append(a.channels, channel), append(a.instead, channel)
		}
	}
	return a
}

func (a audience) only(channel string) audience {
	a.channels = []string{channel}
	return a
}

// without are the channels that are not among others.
func (a audience) without(others []string) (rest []string) {
	for _, channel := range a.channels {
		if !slices.Contains(others, channel) {
			rest = append(rest, channel)
		}
	}
	return rest
}

// unknown are those of the channels named that are neither configured nor functions of
// a living process. Their messages wait for them.
func (b *Book) unknown(named []string) (names []string) {
	for _, name := range named {
		if !b.Knows(name) && !b.Names()[name] {
			names = append(names, name)
		}
	}
	return names
}

// silence is the one that covers a message now, nil for none.
func (b *Book) silence(m *alert.Message, channel string) *alert.Silence {
	for _, s := range b.edition.Load().silences {
		if alerts.Covers(s, m, channel, time.Now()) {
			return s
		}
	}
	return nil
}

// stateful reports whether a channel keeps what goes on until it is told that it is over.
func (b *Book) stateful(channel string) bool {
	spec := b.edition.Load().channels[channel]
	return spec != nil && spec.Stateful
}

func (b *Book) timeout(channel string) time.Duration {
	if spec := b.edition.Load().channels[channel]; spec != nil {
		return spec.Timeout
	}
	return alerts.DefaultTimeout
}

// limits are those of a channel, none for what is no object.
func (b *Book) limits(channel string) []alerts.Limit {
	if spec := b.edition.Load().channels[channel]; spec != nil {
		return spec.Limits
	}
	return nil
}
