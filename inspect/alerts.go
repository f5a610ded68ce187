package inspect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Alerts shows messages to channels and what is wrong with their delivery.
type Alerts struct {
	Rules    *AlertRules
	Channels *AlertChannels
	Silences *AlertSilences

	node *node
}

// Events returns a page of the messages to channels that a filter selects, the
// newest first, and the cursor of the next page. A page may have fewer messages than
// asked for, also none, where there are many others between them. Messages are kept as
// long as ended tasks are. Code "invalid" with fields.
func (as *Alerts) Events(ctx context.Context, filter alert.EventFilter, page store.Page) ([]alert.EventView, string, error) {
	var c accept.Complaints
	c.FieldErrs(filter.Check())
	if err := c.Err("the filter is invalid"); err != nil {
		return nil, "", err
	}
	if page.Limit == 0 {
		page.Limit = usualPage
	}
	acks, err := as.node.Alerts.Acks(ctx)
	if err != nil {
		return nil, "", err
	}
	events, limit := []alert.EventView{}, page.Limit
	for range mostAlertPages {
		found, next, err := as.page(ctx, &filter, page)
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

// mostAlertPages is how often the steps of alerts are asked for a page of messages.
const mostAlertPages = 20

// page is the messages among one page of the steps of alerts.
func (as *Alerts) page(ctx context.Context, of *alert.EventFilter, page store.Page) (events []alert.EventView, next string, err error) {
	filter := store.Filter{Queue: alert.Queue, Since: of.Since, State: endedAs[of.State]}
	if name := of.OneChannel(); name != "" {
		filter.Type = alert.SendType(name)
	}
	if err := checkFilter(&filter, &page); err != nil {
		return nil, "", err
	}
	tasks, next, err := as.node.Backend.Find(ctx, filter, page)
	for _, t := range tasks {
		if event := alertEvent(t); event != nil && of.Selects(event) {
			events = append(events, *event)
		}
	}
	return events, next, err
}

// endedAs is the state of the tasks that deliver messages, by the state of those.
var endedAs = map[string]task.State{"sent": task.Succeeded, "silenced": task.Succeeded, alert.Collected: task.Succeeded, "failed": task.Dead, "canceled": task.Canceled}

// Ack notes that the caller takes care of what a message tells of, whichever
// channel it went to; id is that of the task that delivers it. While an aggregate
// goes on firing, it is not told again for the rule and subject; that it is over
// is. An acknowledged message stays as it is. Code "not_found" for what is no
// message.
func (as *Alerts) Ack(ctx context.Context, id task.ID) (*alert.EventView, error) {
	t, err := as.node.Backend.Get(ctx, id)
	if err != nil && !errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return nil, err
	}
	var event *alert.EventView
	if err == nil && isInternal(t.Queue) {
		event = alertEvent(t)
	}
	if event == nil {
		return nil, task.NotFound("message", id.String())
	}
	event.Ack, err = as.node.Alerts.Acknowledge(ctx, event.Message, actor.Audit(ctx, "alert.ack", "alert/"+id.String()))
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

// PausedSince is since when alerts are not delivered because the queue that they
// travel in is paused: the zero time while it is not. They wait, and none is lost.
func (as *Alerts) PausedSince(ctx context.Context) (since time.Time, err error) {
	queues, err := as.node.Backend.Queues(ctx)
	if err != nil {
		return since, err
	}
	at := slices.IndexFunc(queues, func(q store.Queue) bool { return q.Name == alert.Queue })
	if at < 0 || !queues[at].Paused {
		return since, nil
	}
	rows, _, err := as.node.Backend.Audit(ctx, store.AuditFilter{Action: "queue.pause", Subject: "queue/" + alert.Queue}, store.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		return queues[at].UpdatedAt, err
	}
	return rows[0].At, nil
}

// Problems are the channels that do not deliver and the rules that do not
// hold, as far as this node knows, and how many events no alert could be raised
// for. Empty when all is well.
func (as *Alerts) Problems() (problems []string) {
	keeper := as.node.Alerts
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

// Critical are the aggregates of critical rules that fire and are not over, by
// rule and subject.
func (as *Alerts) Critical(ctx context.Context) ([]alert.State, error) {
	return as.node.Alerts.Critical(ctx)
}
