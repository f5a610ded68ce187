package outlast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/alert/channel"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// AlertRules returns all rules by name, the built-in ones included.
func (i *Inspector) AlertRules(ctx context.Context) ([]alert.RuleView, error) {
	objects, err := i.client.backend.Objects(ctx, alert.KindRule)
	if err != nil {
		return nil, err
	}
	all := map[string]alert.RuleView{}
	for _, rule := range alert.Builtin(i.client.dead.Backlog) {
		all[rule.Name] = alert.RuleView{Rule: rule, Builtin: true}
	}
	for n := range objects {
		o := &objects[n]
		made := alert.RuleView{Replaces: all[o.Name].Builtin, Managed: o.Managed, Actor: o.Actor, Version: o.Version, UpdatedAt: o.UpdatedAt}
		if rule, err := alert.ParseRule(o.Body); o.Doubt != nil {
			made.Problem = o.Doubt.Error()
		} else if err != nil {
			made.Problem = err.Error()
		} else {
			made.Rule = *rule
		}
		made.Name = o.Name
		all[o.Name] = made
	}
	out := make([]alert.RuleView, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out, nil
}

// AlertRule returns one rule; code "not_found".
func (i *Inspector) AlertRule(ctx context.Context, name string) (*alert.RuleView, error) {
	rules, err := i.AlertRules(ctx)
	if err != nil {
		return nil, err
	}
	for n := range rules {
		if rules[n].Name == name {
			return &rules[n], nil
		}
	}
	return nil, task.NotFound("alert rule", name)
}

// PutAlertRule creates a rule or replaces one, also a built-in one. It holds
// everywhere within about a second. Code "invalid" with fields; "managed_by_file"
// for a rule that the configuration file owns.
func (i *Inspector) PutAlertRule(ctx context.Context, rule alert.Rule) (*alert.RuleView, error) {
	var c accept.Complaints
	c.FieldErrs(rule.Check())
	known, err := i.channelNames(ctx)
	if err != nil {
		return nil, err
	}
	for n, name := range rule.Channels {
		if !known[name] {
			c.Add(fmt.Sprintf("channels[%d]", n), "there is no channel "+task.Quote(name), alert.ChannelHint(name, known))
		}
	}
	if err := c.Err("the rule is invalid"); err != nil {
		return nil, err
	}
	if err := i.putAlertObject(ctx, alert.KindRule, rule.Name, rule); err != nil {
		return nil, err
	}
	return i.AlertRule(ctx, rule.Name)
}

// DeleteAlertRule deletes a rule; one that replaced a built-in rule gives way to
// that again. Code "not_found" for others, "conflict" for those of the
// configuration file.
func (i *Inspector) DeleteAlertRule(ctx context.Context, name string) error {
	return i.deleteAlertObject(ctx, alert.KindRule, "alert rule", name)
}

// AlertChannels returns all channels by name.
func (i *Inspector) AlertChannels(ctx context.Context) ([]channel.View, error) {
	objects, err := i.client.backend.Objects(ctx, alert.KindChannel)
	if err != nil {
		return nil, err
	}
	open, trouble, wrong := i.client.alerts.Channels(), i.client.alerts.Trouble(), i.client.alerts.Wrong()
	all := map[string]channel.View{}
	for name := range open {
		made := channel.View{Spec: channel.Spec{Name: name, Kind: channel.Func}, Managed: "option"}
		if name == alert.LogChannel {
			made.Kind, made.Managed = channel.Log, ""
		}
		all[name] = made
	}
	for n := range objects {
		o := &objects[n]
		made := channel.View{Managed: o.Managed, Actor: o.Actor, Version: o.Version, UpdatedAt: o.UpdatedAt}
		if spec, err := channel.Parse(o.Body); o.Doubt != nil {
			made.Problem = o.Doubt.Error()
		} else if err != nil {
			made.Problem = err.Error()
		} else {
			made.Spec = *spec
		}
		made.Name = o.Name
		all[o.Name] = made
	}
	out := make([]channel.View, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		made := all[name]
		made.Usable = open[name] != nil
		for _, err := range []error{trouble[name], wrong[alert.KindChannel+"/"+name]} {
			if err != nil {
				made.Problem = err.Error()
			}
		}
		out = append(out, made)
	}
	return out, nil
}

// AlertChannel returns one channel; code "not_found".
func (i *Inspector) AlertChannel(ctx context.Context, name string) (*channel.View, error) {
	channels, err := i.AlertChannels(ctx)
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

// PutAlertChannel creates a channel or replaces one. Code "invalid" with fields;
// "managed_by_file" for one that the configuration file owns. Its
// secrets are in variables OUTLAST_SECRET_… of the servers; what these hold goes to the
// hosts in the variable of that name with _HOSTS behind it.
func (i *Inspector) PutAlertChannel(ctx context.Context, spec channel.Spec) (*channel.View, error) {
	var c accept.Complaints
	c.FieldErrs(spec.Check())
	c.Calls = i.client.callsOf(ctx)
	c.CallableText("url", alert.Queue, spec.URL)
	c.FieldErrs(spec.CheckPlaces())
	if spec.Name == alert.LogChannel {
		c.Add("name", "the channel log is always there", "choose another name")
	}
	known, err := i.channelNames(ctx)
	if err != nil {
		return nil, err
	}
	if spec.Fallback != "" && !known[spec.Fallback] {
		c.Add("fallback", "there is no channel "+task.Quote(spec.Fallback), alert.ChannelHint(spec.Fallback, known))
	}
	if err := c.Err("the channel is invalid"); err != nil {
		return nil, err
	}
	if err := i.putAlertObject(ctx, alert.KindChannel, spec.Name, spec); err != nil {
		return nil, err
	}
	return i.AlertChannel(ctx, spec.Name)
}

// DeleteAlertChannel deletes a channel; code "conflict" while a rule or another
// channel names it, "managed_by_file" for one that the configuration file owns.
func (i *Inspector) DeleteAlertChannel(ctx context.Context, name string) error {
	rules, err := i.AlertRules(ctx)
	if err != nil {
		return err
	}
	channels, err := i.AlertChannels(ctx)
	if err != nil {
		return err
	}
	for n := range rules {
		if slices.Contains(rules[n].Channels, name) {
			return &Error{Code: task.CodeConflict, Message: "the rule " + task.Quote(rules[n].Name) + " names the channel", Hint: "change the rule first"}
		}
	}
	for n := range channels {
		if channels[n].Fallback == name {
			return &Error{Code: task.CodeConflict, Message: "it is the fallback of the channel " + task.Quote(channels[n].Name), Hint: "change that channel first"}
		}
	}
	return i.deleteAlertObject(ctx, alert.KindChannel, "alert channel", name)
}

func (i *Inspector) channelNames(ctx context.Context) (map[string]bool, error) {
	channels, err := i.AlertChannels(ctx)
	known := make(map[string]bool, len(channels))
	for n := range channels {
		known[channels[n].Name] = true
	}
	return known, err
}

// testTimeout bounds a test message.
const testTimeout = 30 * time.Second

// TestAlertChannel sends a message to a channel, from this node and at once. The
// error says why it was not delivered.
func (i *Inspector) TestAlertChannel(ctx context.Context, name string) error {
	if _, err := i.AlertChannel(ctx, name); err != nil {
		return err
	}
	if err := i.client.alerts.Load(ctx); err != nil { // it may have been put a moment ago
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	err := i.client.alerts.Test(ctx, name)
	if unnoted := i.noteTest(ctx, name, err == nil); err == nil {
		return unnoted
	}
	return untaken("the channel did not take the message", err)
}

// ProbeAlertChannel tries a channel from this node without a message to people: it
// connects to who takes the messages, shakes hands where TLS is spoken, logs in to a
// mail server, and leaves. It does not find out whether a robot or webhook takes the
// key in its URL, nor whether there is such a mailbox. Code "conflict" for a Go
// function, which can only be tried by a message.
func (i *Inspector) ProbeAlertChannel(ctx context.Context, name string) error {
	if _, err := i.AlertChannel(ctx, name); err != nil {
		return err
	}
	if err := i.client.alerts.Load(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	if err := i.client.alerts.Probe(ctx, name); err != nil {
		return untaken("the channel cannot be reached", err)
	}
	return nil
}

// untaken is the error of a channel, with what it means.
func untaken(what string, err error) error {
	if _, typed := errors.AsType[*Error](err); typed {
		return err
	}
	v := retry.Classify(err)
	return &Error{Code: task.CodeUnavailable, Message: what + ": " + err.Error(), Hint: "category " + string(v.Category), RetryAfter: v.Hint.After, Err: err}
}

// noteTest leaves a row of a test message, also of one that was not delivered.
func (i *Inspector) noteTest(ctx context.Context, name string, delivered bool) error {
	row := actor.Audit(ctx, "alert.test", alert.KindChannel+"/"+name)
	row.After, _ = json.Marshal(map[string]bool{"delivered": delivered}) // plain values
	_, err := i.client.backend.Change(context.WithoutCancel(ctx), store.Change{Quiet: true, Audit: []store.Audit{row}})
	return err
}

// AlertEvents returns a page of the messages to channels that a filter selects, the
// newest first, and the cursor of the next page. A page may have fewer messages than
// asked for, also none, where there are many others between them. Messages are kept as
// long as ended tasks are. Code "invalid" with fields.
func (i *Inspector) AlertEvents(ctx context.Context, filter alert.EventFilter, page store.Page) ([]alert.EventView, string, error) {
	var c accept.Complaints
	c.FieldErrs(filter.Check())
	if err := c.Err("the filter is invalid"); err != nil {
		return nil, "", err
	}
	if page.Limit == 0 {
		page.Limit = usualPage
	}
	acks, err := i.client.alerts.Acks(ctx)
	if err != nil {
		return nil, "", err
	}
	events, limit := []alert.EventView{}, page.Limit
	for range mostAlertPages {
		found, next, err := i.alertPage(ctx, &filter, page)
		if err != nil {
			return nil, "", err
		}
		for n := range found {
			found[n].Ack = acks.Of(found[n].Message)
		}
		events = append(events, found...)
		page.Cursor, page.Limit = next, limit-len(events)
		if next == "" || page.Limit == 0 {
			break
		}
	}
	return events, page.Cursor, nil
}

const (
	usualPage = 100 // as the stores have it
	// mostAlertPages is how often the steps of alerts are asked for a page of messages.
	mostAlertPages = 20
)

// alertPage is the messages among one page of the steps of alerts.
func (i *Inspector) alertPage(ctx context.Context, of *alert.EventFilter, page store.Page) (events []alert.EventView, next string, err error) {
	filter := store.Filter{Queue: alert.Queue, Since: of.Since, State: endedAs[of.State]}
	if name := of.OneChannel(); name != "" {
		filter.Type = alert.SendType(name)
	}
	if err := checkFilter(&filter, &page); err != nil {
		return nil, "", err
	}
	tasks, next, err := i.client.backend.Find(ctx, filter, page)
	for _, t := range tasks {
		if event := alertEvent(t); event != nil && of.Selects(event) {
			events = append(events, *event)
		}
	}
	return events, next, err
}

// endedAs is the state of the tasks that deliver messages, by the state of those.
var endedAs = map[string]task.State{"sent": task.Succeeded, "silenced": task.Succeeded, alert.Collected: task.Succeeded, "failed": task.Dead, "canceled": task.Canceled}

// AckAlert notes that the caller takes care of what a message tells of, whichever
// channel it went to; id is that of the task that delivers it. While an aggregate
// goes on firing, it is not told again for the rule and subject; that it is over
// is. An acknowledged message stays as it is. Code "not_found" for what is no
// message.
func (i *Inspector) AckAlert(ctx context.Context, id ID) (*alert.EventView, error) {
	t, err := i.client.backend.Get(ctx, id)
	if err != nil && !errors.Is(err, &Error{Code: task.CodeNotFound}) {
		return nil, err
	}
	var event *alert.EventView
	if err == nil && isInternal(t.Queue) {
		event = alertEvent(t)
	}
	if event == nil {
		return nil, task.NotFound("message", id.String())
	}
	event.Ack, err = i.client.alerts.Acknowledge(ctx, event.Message, actor.Audit(ctx, "alert.ack", "alert/"+id.String()))
	if err != nil {
		return nil, err
	}
	return event, nil
}

// alertEvent reads the message of a delivery, nil for other steps of alerts.
func alertEvent(t *task.Task) *alert.EventView {
	channel, ok := strings.CutPrefix(t.Type, alert.SendType(""))
	if !ok {
		return nil
	}
	m, instead := alert.MessageOf(t.Payload)
	if m == nil {
		return nil
	}
	event := &alert.EventView{Message: m, Task: t.ID, Channel: channel, State: "pending", Attempts: t.Attempt, Instead: instead, NextAt: t.RunAt}
	if t.LastError != nil {
		event.Error = t.LastError.Message
	}
	switch t.State {
	case task.Succeeded:
		event.State, event.EndedAt, event.NextAt = "sent", t.FinishedAt, time.Time{}
		if event.Silence = alert.SilencedBy(t.Result); event.Silence != "" {
			event.State = "silenced"
		}
		if alert.IsCollected(t.Result) {
			event.State = alert.Collected
		}
	case task.Dead:
		event.State, event.EndedAt, event.NextAt = "failed", t.FinishedAt, time.Time{}
	case task.Canceled:
		event.State, event.EndedAt, event.NextAt = "canceled", t.FinishedAt, time.Time{}
	}
	return event
}

// putAlertObject keeps a rule or channel, whatever version there is.
func (i *Inspector) putAlertObject(ctx context.Context, kind, name string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return i.changeAlertObject(ctx, kind, name, func(before *store.Object) store.Change {
		row := actor.Audit(ctx, kind+".put", kind+"/"+name)
		row.Before, row.After = before.Body, body
		return store.Change{
			Put:   []store.Object{{Kind: kind, Name: name, Body: body, Version: before.Version, Actor: row.Actor}},
			Audit: []store.Audit{row},
		}
	})
}

func (i *Inspector) deleteAlertObject(ctx context.Context, kind, noun, name string) error {
	return i.changeAlertObject(ctx, kind, name, func(before *store.Object) store.Change {
		if before.Version == 0 {
			return store.Change{}
		}
		row := actor.Audit(ctx, kind+".delete", kind+"/"+name)
		row.Before = before.Body
		return store.Change{Delete: []store.Object{*before}, Audit: []store.Audit{row}}
	}, noun)
}

// changeAlertObject changes an object by compare-and-set, again if another was
// faster. Where there is none and nothing to put, it is "not_found".
func (i *Inspector) changeAlertObject(ctx context.Context, kind, name string, change func(before *store.Object) store.Change, noun ...string) error {
	for {
		before, err := i.client.backend.Object(ctx, kind, name)
		if errors.Is(err, &Error{Code: task.CodeNotFound}) {
			before, err = &store.Object{Kind: kind, Name: name}, nil
		}
		if err != nil {
			return err
		}
		if before.Managed != "" && before.Doubt == nil {
			return managedByFile("alert "+kind, name)
		}
		request := change(before)
		if len(request.Put)+len(request.Delete) == 0 {
			return task.NotFound(noun[0], name)
		}
		_, err = i.client.backend.Change(ctx, request)
		if errors.Is(err, &Error{Code: task.CodeConflict}) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return err
		}
		i.refresh(ctx)
		_ = i.client.alerts.Load(ctx) // it is changed; else the next look reads it
		return nil
	}
}

// AlertsPaused is since when alerts are not delivered because the queue that they
// travel in is paused: the zero time while it is not. They wait, and none is lost.
func (i *Inspector) AlertsPaused(ctx context.Context) (since time.Time, err error) {
	queues, err := i.client.backend.Queues(ctx)
	if err != nil {
		return since, err
	}
	at := slices.IndexFunc(queues, func(q Queue) bool { return q.Name == alert.Queue })
	if at < 0 || !queues[at].Paused {
		return since, nil
	}
	rows, _, err := i.client.backend.Audit(ctx, store.AuditFilter{Action: "queue.pause", Subject: "queue/" + alert.Queue}, store.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		return queues[at].UpdatedAt, err
	}
	return rows[0].At, nil
}

// AlertProblems are the channels that do not deliver and the rules that do not
// hold, as far as this node knows, and how many events no alert could be raised
// for. Empty when all is well.
func (i *Inspector) AlertProblems() (problems []string) {
	keeper := i.client.alerts
	wrong, trouble := keeper.Wrong(), keeper.Trouble()
	for _, what := range slices.Sorted(maps.Keys(wrong)) {
		problems = append(problems, what+": "+wrong[what].Error())
	}
	for _, name := range slices.Sorted(maps.Keys(trouble)) {
		problems = append(problems, "channel "+name+" does not deliver: "+trouble[name].Error())
	}
	if unheard := keeper.Unheard(); unheard != "" {
		problems = append(problems, unheard)
	}
	if n := keeper.Dropped(); n > 0 {
		problems = append(problems, fmt.Sprintf("%d alerts could not be raised", n))
	}
	return problems
}
