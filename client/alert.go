package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// AlertRule says when to tell whom.
type AlertRule struct {
	Name      string          `json:"name" doc:"Name of the rule."`
	Rule      json.RawMessage `json:"rule" doc:"{on, when, channels, cooldown, digest, for, recovery, severity, disabled}"`
	Builtin   bool            `json:"builtin" doc:"It holds without configuration; a rule of its name replaces it."`
	Replaces  bool            `json:"replaces,omitempty" doc:"A built-in rule of its name holds again when it is deleted."`
	Managed   string          `json:"managed,omitempty" doc:"file: the configuration file owns it."`
	Actor     string          `json:"actor,omitempty" doc:"Who made this version; absent of a built-in rule."`
	Version   int64           `json:"version,omitempty" doc:"Raised by every change; absent of a built-in rule."`
	UpdatedAt Time            `json:"updated_at,omitzero" doc:"When this version was made; absent of a built-in rule."`
	Problem   string          `json:"problem,omitempty" doc:"Why it does not hold on the node that was asked."`
}

// AlertRules lists rules by name.
type AlertRules struct {
	Rules     []AlertRule     `json:"rules" doc:"All rules, by name."`
	Variables []AlertVariable `json:"variables" doc:"What conditions can use."`
}

// AlertVariable is a name that conditions can use.
type AlertVariable struct {
	Name string   `json:"name" doc:"What conditions call it."`
	Type string   `json:"type" doc:"string, int, double, bool, duration or map."`
	Doc  string   `json:"doc" doc:"What it is."`
	On   []string `json:"on" enum:"dead,retry,crash,process,resources,breaker,redrive,schedule,task,letters,queue,target,type,category,group,blocked,key,change" doc:"The rules that can use it, by what they look at."`
}

// AlertChannel is a way to reach people.
type AlertChannel struct {
	Name      string          `json:"name" doc:"Name of the channel."`
	Kind      string          `json:"kind" enum:"dingtalk,email,feishu,slack,wecom,alertmanager,pagerduty,teams,telegram,webhook,log,func" doc:"What it sends to; func is a Go function of an application."`
	Channel   json.RawMessage `json:"channel" doc:"The specification. Secrets are not in it: it names environment variables."`
	Managed   string          `json:"managed,omitempty" doc:"file: the configuration file owns it; option: a Go function of an application."`
	Actor     string          `json:"actor,omitempty" doc:"Who made this version; absent of a channel that nobody put."`
	Version   int64           `json:"version,omitempty" doc:"Raised by every change; absent of a channel that nobody put."`
	UpdatedAt Time            `json:"updated_at,omitzero" doc:"When this version was made; absent of a channel that nobody put."`
	Usable    bool            `json:"usable" doc:"The node that was asked can send to it."`
	Problem   string          `json:"problem,omitempty" doc:"Why it cannot, or why its last message was not delivered."`
}

// AlertChannels lists channels by name.
type AlertChannels struct {
	Channels []AlertChannel `json:"channels" doc:"All channels, by name."`
}

// AlertEvent is one message to one channel.
type AlertEvent struct {
	ID       string       `json:"id" doc:"Of the task that delivers it; its attempts are the delivery log."`
	At       Time         `json:"at" doc:"When it happened."`
	Kind     string       `json:"kind" enum:"raised,held,recovered,test" doc:"raised: something is wrong. held: alerts that were held back are told. recovered: it is over. test: somebody tries the channel."`
	Rule     string       `json:"rule" doc:"Name of the rule."`
	Subject  string       `json:"subject" doc:"What it is about, such as a type, a queue or a target."`
	Severity string       `json:"severity" enum:"info,warning,critical" doc:"How bad it is."`
	Title    string       `json:"title" doc:"One line that says what happened."`
	Text     string       `json:"text" doc:"One sentence that says what happened."`
	Fields   []AlertField `json:"fields,omitempty" doc:"Details, each with a name."`
	HeldBack int          `json:"held_back,omitempty" doc:"Alerts that were held back and are told with this message."`
	Names    []string     `json:"held_back_names,omitempty" doc:"The first of the alerts that were held back."`
	Kinds    []AlertTally `json:"held_back_kinds,omitempty" doc:"What was held back, by what it has in common, such as the target, the code and the fingerprint of the failures."`
	Channel  string       `json:"channel" doc:"Name of the channel."`
	Instead  string       `json:"instead,omitempty" doc:"The channel that could not deliver it."`
	State    string       `json:"state" enum:"pending,sent,silenced,collected,failed,canceled" doc:"pending: it will be sent. sent: it was taken. silenced: a silence has kept it back. collected: another message tells it. failed: it could not be delivered. canceled: somebody canceled its task."`
	Silence  string       `json:"silence,omitempty" doc:"The silence that has kept it back."`
	Attempts int          `json:"attempts" doc:"How often it was tried."`
	Error    string       `json:"error,omitempty" doc:"Why the last attempt failed; absent if none did."`
	NextAt   Time         `json:"next_at,omitzero" doc:"The next attempt; absent if there is none."`
	EndedAt  Time         `json:"ended_at,omitzero" doc:"When it was sent or given up; absent before."`
	About    []AlertAbout `json:"about,omitempty" doc:"What it is about, the closest first."`
	AckedBy  string       `json:"acked_by,omitempty" doc:"Who has acknowledged it."`
	AckedAt  Time         `json:"acked_at,omitzero" doc:"When it was acknowledged; absent if it was not."`
}

// AlertAbout is one thing that a message is about.
type AlertAbout struct {
	Kind  string `json:"kind" enum:"task,letters,tasks,target,queue,keys,schedule,redrive,nodes" doc:"What it is: a task, dead letters or tasks of a type, a target, a queue, the blocked keys of a queue, a schedule, a redrive, or the nodes. New ones may come."`
	Name  string `json:"name,omitempty" doc:"Its name or id: of letters and tasks the type, of keys the queue; absent where it is all of the kind."`
	Place string `json:"place" doc:"Where the console shows it: its address behind #/."`
}

// AlertField is one line of a message.
type AlertField struct {
	Name  string `json:"name" doc:"What it is, in a word or two."`
	Value string `json:"value" doc:"Its value, as a text."`
}

// AlertTally is a part of what was held back.
type AlertTally struct {
	What  string   `json:"what,omitempty" doc:"What it has in common; empty for what is in no other part."`
	Count int      `json:"count" doc:"How many there are."`
	Names []string `json:"names,omitempty" doc:"The first of it."`
}

// AlertEvents is a page of messages, newest first.
type AlertEvents struct {
	Events     []AlertEvent `json:"events" doc:"The messages of the page."`
	NextCursor string       `json:"next_cursor" doc:"Give it back as cursor for the next page; empty on the last one."`
}

// AlertTested is the answer to a test of a channel.
type AlertTested struct {
	Channel string `json:"channel" doc:"Name of the channel."`
	Sent    bool   `json:"sent" doc:"A message was sent and taken; false where the channel was tried without one."`
}

// AlertRules lists all rules.
func (c *Client) AlertRules(ctx context.Context) (*AlertRules, error) {
	return get[AlertRules](ctx, c, "/v1/alerts/rules", nil)
}

// PutAlertRule creates or replaces a rule.
func (c *Client) PutAlertRule(ctx context.Context, name string, rule json.RawMessage) (*AlertRule, error) {
	return exchange[AlertRule](ctx, c, call{method: http.MethodPut, path: "/v1/alerts/rules/" + url.PathEscape(name), body: rule})
}

// DeleteAlertRule deletes a rule.
func (c *Client) DeleteAlertRule(ctx context.Context, name string) error {
	_, err := exchange[struct{}](ctx, c, call{method: http.MethodDelete, path: "/v1/alerts/rules/" + url.PathEscape(name)})
	return err
}

// AlertChannels lists all channels.
func (c *Client) AlertChannels(ctx context.Context) (*AlertChannels, error) {
	return get[AlertChannels](ctx, c, "/v1/alerts/channels", nil)
}

// PutAlertChannel creates or replaces a channel.
func (c *Client) PutAlertChannel(ctx context.Context, name string, channel json.RawMessage) (*AlertChannel, error) {
	return exchange[AlertChannel](ctx, c, call{method: http.MethodPut, path: "/v1/alerts/channels/" + url.PathEscape(name), body: channel})
}

// DeleteAlertChannel deletes a channel.
func (c *Client) DeleteAlertChannel(ctx context.Context, name string) error {
	_, err := exchange[struct{}](ctx, c, call{method: http.MethodDelete, path: "/v1/alerts/channels/" + url.PathEscape(name)})
	return err
}

// TestAlertChannel sends a test message and waits until it was taken. It is not
// repeated: each call sends one.
func (c *Client) TestAlertChannel(ctx context.Context, name string) (*AlertTested, error) {
	return exchange[AlertTested](ctx, c, call{method: http.MethodPost, path: "/v1/alerts/channels/" + url.PathEscape(name) + "/test", once: true})
}

// ProbeAlertChannel tries a channel without a message: the server connects to who takes
// the messages, shakes hands where TLS is spoken, logs in to a mail server, and leaves.
func (c *Client) ProbeAlertChannel(ctx context.Context, name string) (*AlertTested, error) {
	return exchange[AlertTested](ctx, c, call{method: http.MethodPost, path: "/v1/alerts/channels/" + url.PathEscape(name) + "/test", query: url.Values{"dry_run": {"true"}}, once: true})
}

// AlertFilter selects messages. What is empty selects all; * stands for any text.
type AlertFilter struct {
	Rule    string
	Subject string
	Channel string
	State   string // pending, sent, silenced, collected, failed or canceled
	Since   Time   // made then or later
}

func (f *AlertFilter) values() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"rule": f.Rule, "subject": f.Subject, "channel": f.Channel, "state": f.State} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if !f.Since.IsZero() {
		query.Set("since", f.Since.UTC().Format(time.RFC3339Nano))
	}
	return query
}

// AlertEvents lists the messages that a filter selects, newest first.
func (c *Client) AlertEvents(ctx context.Context, filter AlertFilter, limit int, cursor string) (*AlertEvents, error) {
	query := filter.values()
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return get[AlertEvents](ctx, c, "/v1/alerts/events", query)
}

// AckAlert acknowledges a message, by its Task: an aggregate that goes on firing is
// not told again until it is over. A repeat changes nothing.
func (c *Client) AckAlert(ctx context.Context, id task.ID) (*AlertEvent, error) {
	return exchange[AlertEvent](ctx, c, call{method: http.MethodPost, path: "/v1/alerts/events/" + id.String() + "/ack"})
}
