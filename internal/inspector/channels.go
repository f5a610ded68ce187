package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// AlertChannels is [inspect.AlertChannels].
type AlertChannels struct{ node *node }

func (cs *AlertChannels) List(ctx context.Context) ([]alert.ChannelView, error) {
	objects, err := cs.node.Backend.Objects(ctx, alerts.KindChannel)
	if err != nil {
		return nil, err
	}
	open, trouble, wrong := cs.node.Alerts.Book.Channels(), cs.node.Alerts.Sender.Trouble(), cs.node.Alerts.Book.Wrong()
	all := map[string]alert.ChannelView{}
	for name := range open {
		made := alert.ChannelView{ChannelSpec: alert.ChannelSpec{Name: name, Kind: alert.ToFunc}, Managed: "option"}
		if name == alerts.LogChannel {
			made.Kind, made.Managed = alert.ToLog, ""
		}
		all[name] = made
	}
	for n := range objects {
		o := &objects[n]
		made := alert.ChannelView{Managed: o.Managed, Actor: o.Actor, Version: o.Version, UpdatedAt: o.UpdatedAt}
		if spec, err := channel.Parse(o.Body); o.Doubt != nil {
			made.Problem = o.Doubt.Error()
		} else if err != nil {
			made.Problem = err.Error()
		} else {
			made.ChannelSpec = *spec
		}
		made.Name = o.Name
		all[o.Name] = made
	}
	out := make([]alert.ChannelView, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		made := all[name]
		made.Usable = open[name] != nil
		for _, err := range []error{trouble[name], wrong[alerts.KindChannel+"/"+name]} {
			if err != nil {
				made.Problem = err.Error()
			}
		}
		out = append(out, made)
	}
	return out, nil
}

func (cs *AlertChannels) Get(ctx context.Context, name string) (*alert.ChannelView, error) {
	channels, err := cs.List(ctx)
	if err != nil {
		return nil, err
	}
	for n := range channels {
		if channels[n].Name == name {
			return &channels[n], nil
		}
	}
	return nil, task.NotFound("alert channel", name)
}

func (cs *AlertChannels) Put(ctx context.Context, spec alert.ChannelSpec) (*alert.ChannelView, error) {
	var c accept.Complaints
	c.FieldErrs(channel.Check(&spec))
	c.Calls = cs.node.Calls(ctx)
	c.CallableText("url", alerts.Queue, spec.URL)
	c.FieldErrs(channel.CheckPlaces(&spec))
	if spec.Name == alerts.LogChannel {
		c.Add("name", "the channel log is always there", "choose another name")
	}
	known, err := cs.names(ctx)
	if err != nil {
		return nil, err
	}
	if spec.Fallback != "" && !known[spec.Fallback] {
		c.Add("fallback", "there is no channel "+task.Quote(spec.Fallback), alerts.ChannelHint(spec.Fallback, known))
	}
	if err := c.Err("the channel is invalid"); err != nil {
		return nil, err
	}
	if err := (&alertObjects{cs.node}).put(ctx, alerts.KindChannel, spec.Name, spec); err != nil {
		return nil, err
	}
	return cs.Get(ctx, spec.Name)
}

func (cs *AlertChannels) Delete(ctx context.Context, name string) error {
	rules, err := (&AlertRules{cs.node}).List(ctx)
	if err != nil {
		return err
	}
	channels, err := cs.List(ctx)
	if err != nil {
		return err
	}
	for n := range rules {
		if slices.Contains(rules[n].Channels, name) {
			return &task.Error{Code: task.CodeConflict, Message: "the rule " + task.Quote(rules[n].Name) + " names the channel", Hint: "change the rule first"}
		}
	}
	for n := range channels {
		if name != "" && channels[n].Fallback == name {
			return &task.Error{Code: task.CodeConflict, Message: "it is the fallback of the channel " + task.Quote(channels[n].Name), Hint: "change that channel first"}
		}
	}
	return (&alertObjects{cs.node}).delete(ctx, alerts.KindChannel, "alert channel", name)
}

func (cs *AlertChannels) names(ctx context.Context) (map[string]bool, error) {
	channels, err := cs.List(ctx)
	known := make(map[string]bool, len(channels))
	for n := range channels {
		known[channels[n].Name] = true
	}
	return known, err
}

// testTimeout bounds a test message.
const testTimeout = 30 * time.Second

func (cs *AlertChannels) Test(ctx context.Context, name string) error {
	if _, err := cs.Get(ctx, name); err != nil {
		return err
	}
	if err := cs.node.Alerts.Book.Load(ctx); err != nil { // it may have been put a moment ago
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	err := cs.node.Alerts.Sender.Test(ctx, name)
	if unnoted := cs.noteTest(ctx, name, err == nil); err == nil {
		return unnoted
	}
	return untaken("the channel did not take the message", err)
}

func (cs *AlertChannels) Probe(ctx context.Context, name string) error {
	if _, err := cs.Get(ctx, name); err != nil {
		return err
	}
	if err := cs.node.Alerts.Book.Load(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	if err := cs.node.Alerts.Sender.Probe(ctx, name); err != nil {
		return untaken("the channel cannot be reached", err)
	}
	return nil
}

// untaken is the error of a channel, with what it means.
func untaken(what string, err error) error {
	if _, typed := errors.AsType[*task.Error](err); typed {
		return err
	}
	v := retry.Classify(err)
	return &task.Error{Code: task.CodeUnavailable, Message: what + ": " + err.Error(), Hint: "category " + string(v.Category), RetryAfter: v.Hint.After, Err: err}
}

// noteTest leaves a row of a test message, also of one that was not delivered.
func (cs *AlertChannels) noteTest(ctx context.Context, name string, delivered bool) error {
	row := actor.Audit(ctx, "alert.test", alerts.KindChannel+"/"+name)
	row.After, _ = json.Marshal(map[string]bool{"delivered": delivered}) // plain values
	_, err := cs.node.Backend.Change(context.WithoutCancel(ctx), store.Change{Quiet: true, Audit: []store.Audit{row}})
	return err
}
