package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// What the story is about.
const (
	demoMail    = "mail.send"
	demoMails   = 300            // to an endpoint that fails now and then
	demoReport  = "report.build" // they succeed after the redrive only
	demoReports = 8              // to an endpoint that is down until then
	demoOrder   = "order.place"
	demoOrders  = 40 // to a shop that is away: its breaker opens
	demoImages  = 24 // a group of tasks, for the remote worker
	demoCanary  = 2
	demoEvery   = 500 * time.Millisecond
)

// demoStory is what happens in a demo, told as it happens.
type demoStory struct {
	*cli.Env
	api      *client.Client
	receiver *receiver
	keep     bool
	summary  demoSummary
	example  task.ID // a task that was retried
	alerts   int     // so many were shown
}

func (s *demoStory) tell(ctx context.Context) error {
	s.Say("\nfirst attempts and retries:")
	if err := s.watch(ctx, demoReports); err != nil {
		return err
	}
	for _, show := range []func(context.Context) error{s.showAttempts, s.showOutage, s.redrive, s.reopen} {
		if err := show(ctx); err != nil {
			return err
		}
	}
	s.showAlerts()
	s.summary.Dead, s.summary.Alerts = demoReports, s.alerts
	s.summary.Calls = int(s.receiver.calls.Load())
	return nil
}

// open enqueues what the story is about, and first of all what takes longest, so that the
// console has something on every page at once.
func (s *demoStory) open(ctx context.Context) error {
	var drafts []client.Draft
	if s.keep {
		drafts = s.scenery()
	}
	images, err := s.images(ctx)
	if err != nil {
		return err
	}
	drafts = append(drafts, images...)
	for i := range demoReports {
		drafts = append(drafts, draft(demoReport, s.receiver.office+"/reports", `{"report":%d}`, i+1))
	}
	for i := range demoOrders {
		drafts = append(drafts, s.order(i))
	}
	for i := range demoMails {
		drafts = append(drafts, draft(demoMail, s.receiver.mail+"/mail", `{"to":"customer-%d@example.com"}`, i+1))
	}
	if _, err := s.api.EnqueueBatch(ctx, drafts, true); err != nil {
		return err
	}
	if _, err := s.api.CloseTaskGroup(ctx, images[0].Group); err != nil {
		return err
	}
	s.summary.Tasks = demoMails + demoReports
	s.Say("enqueued %d mails to an endpoint that fails for about three tasks in ten, %d reports to one that is down,", demoMails, demoReports)
	s.Say("%d orders to a shop that is away, and %d images for a remote worker, as a group with a callback", demoOrders, demoImages)
	return nil
}

// images are members of a group, whose callback publishes them.
func (s *demoStory) images(ctx context.Context) ([]client.Draft, error) {
	group, err := s.api.CreateTaskGroup(ctx, client.TaskGroupDraft{Label: "spring catalogue", Callback: client.Follow{
		Type: "newsletter.send", Queue: "mail", Payload: json.RawMessage(`{"catalogue":"spring"}`), Target: &client.Target{URL: s.receiver.mail + "/mail"},
	}})
	if err != nil {
		return nil, err
	}
	drafts := make([]client.Draft, demoImages)
	for i := range drafts {
		drafts[i] = image(i + 1)
		drafts[i].Group = group.ID
	}
	return drafts, nil
}

func image(n int) client.Draft { return draft("image.resize", "", `{"image":%d}`, n) }

func (s *demoStory) order(n int) client.Draft {
	return draft(demoOrder, s.receiver.shop+"/orders", `{"order":%d}`, 5001+n)
}

// draft is a task with a payload of one number, of a worker where it has no URL.
func draft(kind, url, payload string, n int) client.Draft {
	d := client.Draft{Type: kind, Payload: json.RawMessage(fmt.Sprintf(payload, n))}
	if url != "" {
		d.Target = &client.Target{URL: url}
	}
	return d
}

// watch tells how things stand until all has ended, with so many dead letters.
func (s *demoStory) watch(ctx context.Context, dead int) error {
	ticker := time.NewTicker(demoEvery)
	defer ticker.Stop()
	began, last := time.Now(), ""
	for {
		counts, err := s.count(ctx)
		if err != nil {
			return err
		}
		line := counts.String()
		if line != last {
			s.Say("  %4.1fs  %s", time.Since(began).Seconds(), line)
			last = line
		}
		s.showAlerts()
		if counts.succeeded+counts.dead == s.summary.Tasks {
			s.summary.FirstAttempt, s.summary.Retried, s.summary.Redriven = counts.first, counts.retried, counts.redriven
			if counts.dead != dead {
				return fmt.Errorf("%d dead letters instead of %d", counts.dead, dead)
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

type demoCounts struct{ succeeded, first, retried, redriven, retrying, dead int }

func (n demoCounts) String() string {
	after := ""
	if n.redriven > 0 {
		after = fmt.Sprintf(", after the redrive %d", n.redriven)
	}
	return fmt.Sprintf("succeeded %d (at the first attempt %d, after retries %d%s)  waiting for a retry %d  dead %d",
		n.succeeded, n.first, n.retried, after, n.retrying, n.dead)
}

func (s *demoStory) count(ctx context.Context) (demoCounts, error) {
	var counts demoCounts
	for _, kind := range []string{demoMail, demoReport} {
		page, err := s.api.Tasks(ctx, client.Filter{DeadFilter: client.DeadFilter{Type: kind}}, 500, "")
		if err != nil {
			return counts, err
		}
		for i := range page.Tasks {
			counts.add(&page.Tasks[i])
			if t := &page.Tasks[i]; t.State == task.Succeeded && t.Attempt > 1 && t.Type == demoMail {
				s.example = t.ID
			}
		}
	}
	return counts, nil
}

func (n *demoCounts) add(t *client.Task) {
	switch {
	case t.State == task.Succeeded:
		n.succeeded++
		switch {
		case t.Type == demoReport: // the redrive began its attempts anew
			n.redriven++
		case t.Attempt == 1:
			n.first++
		default:
			n.retried++
		}
	case t.State == task.Dead:
		n.dead++
	case t.State == task.Pending && t.Attempt > 0:
		n.retrying++
	}
}

// showAlerts shows those that have arrived since.
func (s *demoStory) showAlerts() {
	told := s.receiver.told(s.alerts)
	s.alerts += len(told)
	for _, title := range told {
		s.Say("  alert: %s", cli.Clean(title))
	}
}

// showOutage shows what the breaker of the shop does.
func (s *demoStory) showOutage(ctx context.Context) error {
	shop, err := s.api.Target(ctx, strings.TrimPrefix(s.receiver.shop, "http://"))
	if err != nil {
		return err
	}
	s.Say("\nthe shop is away: its breaker is %s, and orders wait without spending attempts: %d", cli.Clean(shop.Breaker.State), shop.Waiting.Breaker)
	return nil
}

// reopen lets the shop come back, unless somebody is to look at its outage.
func (s *demoStory) reopen(ctx context.Context) error {
	if s.keep {
		return nil
	}
	s.receiver.mended.Store(true)
	s.Say("\nthe shop is back: a probe finds out, and calls rise slowly")
	ticker := time.NewTicker(demoEvery)
	defer ticker.Stop()
	for {
		page, err := s.api.Tasks(ctx, client.Filter{State: string(task.Succeeded), DeadFilter: client.DeadFilter{Type: demoOrder}}, demoOrders, "")
		if err != nil {
			return err
		}
		if len(page.Tasks) == demoOrders {
			s.Say("  all %d orders are placed", demoOrders)
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// showAttempts shows the history of a task that was retried.
func (s *demoStory) showAttempts(ctx context.Context) error {
	if s.example.IsZero() {
		return fmt.Errorf("no task was retried")
	}
	story, err := s.api.Attempts(ctx, s.example)
	if err != nil {
		return err
	}
	s.Say("\none task that was retried, %s:", s.example)
	for _, a := range story.Attempts {
		line := fmt.Sprintf("  attempt %d  %s", a.Number, cli.Clean(a.Outcome))
		if a.Error != "" {
			line += fmt.Sprintf("  %s (%s), next after %s", cli.Clean(a.Category), cli.Short(a.Error, 60), cli.Span(a.NextDelay))
		}
		s.Say("%s", line)
	}
	return nil
}

// redrive repairs the endpoint and sends the dead letters back.
func (s *demoStory) redrive(ctx context.Context) error {
	groups, err := s.api.DeadGroups(ctx, client.Filter{DeadFilter: client.DeadFilter{Type: demoReport}}, 5)
	if err != nil {
		return err
	}
	s.Say("\ndead letters, grouped by what they have in common:")
	for _, g := range groups {
		s.Say("  %d × %s %s: %s", g.Count, cli.Clean(g.Type), cli.Clean(g.Reason), cli.Short(g.Message, 80))
	}
	s.receiver.repaired.Store(true)
	s.Say("\nthe endpoint is repaired; redriving, two of them first: outlast dead redrive --type %s --canary %d", demoReport, demoCanary)
	redriven, err := s.api.Redrive(ctx, client.Redrive{Filter: &client.DeadFilter{Type: demoReport}, Canary: demoCanary})
	if err != nil {
		return err
	}
	if redriven.Operation != "" {
		if err := s.Follow(ctx, s.api, redriven.Operation); err != nil {
			return err
		}
	}
	return s.watch(ctx, 0)
}
