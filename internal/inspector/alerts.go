package inspector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Alerts is [inspect.AlertEvents].
type Alerts struct{ node *node }

func (as *Alerts) Events(ctx context.Context, filter alert.EventFilter, page store.Page) ([]alert.EventView, string, error) {
	var c accept.Complaints
	c.FieldErrs(alerts.CheckFilter(&filter))
	if err := c.Err("the filter is invalid"); err != nil {
		return nil, "", err
	}
	if page.Limit == 0 {
		page.Limit = usualPage
	}
	acks, err := as.node.Alerts.Desk.Acks(ctx)
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
	filter := store.Filter{Queue: alerts.Queue, Since: of.Since, State: endedAs[of.State]}
	if name := alerts.OneChannel(of); name != "" {
		filter.Type = alerts.SendType(name)
	}
	if err := checkFilter(&filter, &page); err != nil {
		return nil, "", err
	}
	tasks, next, err := as.node.Backend.Find(ctx, filter, page)
	for _, t := range tasks {
		if event := alertEvent(t); event != nil && alerts.Selects(of, event) {
			events = append(events, *event)
		}
	}
	return events, next, err
}

// endedAs is the state of the tasks that deliver messages, by the state of those.
var endedAs = map[string]task.State{"sent": task.Succeeded, "silenced": task.Succeeded, alert.Collected: task.Succeeded, "failed": task.Dead, "canceled": task.Canceled}

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
	event.Ack, err = as.node.Alerts.Desk.Acknowledge(ctx, event.Message, actor.Audit(ctx, "alert.ack", "alert/"+id.String()))
	if err != nil {
		return nil, err
	}
	return event, nil
}

// alertEvent reads the message of a delivery, nil for other steps of alerts.
func alertEvent(t *task.Task) *alert.EventView {
	channel, ok := alerts.ChannelOf(t.Type)
	if !ok {
		return nil
	}
	m, instead := keeper.MessageOf(t.Payload)
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
		if event.Silence = keeper.SilencedBy(t.Result); event.Silence != "" {
			event.State = "silenced"
		}
		if keeper.IsCollected(t.Result) {
			event.State = alert.Collected
		}
	case task.Dead:
		event.State, event.EndedAt, event.NextAt = "failed", t.FinishedAt, time.Time{}
	case task.Canceled:
		event.State, event.EndedAt, event.NextAt = "canceled", t.FinishedAt, time.Time{}
	}
	return event
}

func (as *Alerts) PausedSince(ctx context.Context) (since time.Time, err error) {
	queues, err := as.node.Backend.Queues(ctx)
	if err != nil {
		return since, err
	}
	at := slices.IndexFunc(queues, func(q store.Queue) bool { return q.Name == alerts.Queue })
	if at < 0 || !queues[at].Paused {
		return since, nil
	}
	rows, _, err := as.node.Backend.Audit(ctx, store.AuditFilter{Action: "queue.pause", Subject: "queue/" + alerts.Queue}, store.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		return queues[at].UpdatedAt, err
	}
	return rows[0].At, nil
}

func (as *Alerts) Problems() (problems []string) {
	wrong, trouble := as.node.Alerts.Book.Wrong(), as.node.Alerts.Sender.Trouble()
	for _, what := range slices.Sorted(maps.Keys(wrong)) {
		problems = append(problems, what+": "+wrong[what].Error())
	}
	for _, name := range slices.Sorted(maps.Keys(trouble)) {
		problems = append(problems, "channel "+name+" does not deliver: "+trouble[name].Error())
	}
	if unheard := as.node.Alerts.Book.Unheard(); unheard != "" {
		problems = append(problems, unheard)
	}
	if n := as.node.Alerts.Events.Dropped(); n > 0 {
		problems = append(problems, fmt.Sprintf("%d alerts could not be raised", n))
	}
	return problems
}

func (as *Alerts) Critical(ctx context.Context) ([]alert.Firing, error) {
	return as.node.Alerts.Desk.Critical(ctx)
}
