package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// What the demo enqueues.
const (
	demoMails   = 300            // to an endpoint that fails now and then
	demoReports = 8              // to one that is down
	demoReport  = "report.build" // their type; they succeed after the redrive only
	demoEvery   = 500 * time.Millisecond
)

// demoStory is what happens in a demo, told as it happens.
type demoStory struct {
	*cli.Env
	api      *client.Client
	receiver *receiver
	summary  demoSummary
	example  task.ID // a task that was retried
}

func (s *demoStory) tell(ctx context.Context) error {
	if err := s.enqueue(ctx); err != nil {
		return err
	}
	s.Say("\nfirst attempts and retries:")
	if err := s.watch(ctx, demoReports); err != nil {
		return err
	}
	if err := s.showAttempts(ctx); err != nil {
		return err
	}
	if err := s.redrive(ctx); err != nil {
		return err
	}
	s.summary.Dead = demoReports
	s.summary.Calls = int(s.receiver.calls.Load())
	return nil
}

func (s *demoStory) enqueue(ctx context.Context) error {
	// The receiver fails by design, which is what budgets and breakers slow down.
	policy := func(attempts int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"max_attempts":%d,"budget":"none","breaker":"none",
"backoff":{"kind":"exponential","initial":"1s","multiplier":2,"max":"4s","jitter":"equal"}}`, attempts))
	}
	drafts := make([]client.Draft, 0, demoMails+demoReports)
	for i := range demoMails {
		drafts = append(drafts, client.Draft{
			Type: "mail.send", Payload: json.RawMessage(fmt.Sprintf(`{"to":"customer-%d@example.com"}`, i+1)),
			Target: &client.Target{URL: s.receiver.url + "/mail"}, Retry: policy(6),
		})
	}
	for i := range demoReports {
		drafts = append(drafts, client.Draft{
			Type: demoReport, Payload: json.RawMessage(fmt.Sprintf(`{"report":%d}`, i+1)),
			Target: &client.Target{URL: s.receiver.url + "/down"}, Retry: policy(3),
		})
	}
	results, err := s.api.EnqueueBatch(ctx, drafts, true)
	if err != nil {
		return err
	}
	s.summary.Tasks = len(results)
	s.Say("enqueued %d mails to an endpoint that fails for about three tasks in ten, and %d reports to one that is down", demoMails, demoReports)
	return nil
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
		if counts.succeeded+counts.dead == s.summary.Tasks {
			s.summary.FirstAttempt, s.summary.Retried, s.summary.Redriven = counts.first, counts.retried, counts.redriven
			if counts.dead != dead {
				return fmt.Errorf("%d dead letters where %d were expected", counts.dead, dead)
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
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := s.api.Tasks(ctx, client.Filter{}, 500, cursor)
		if err != nil {
			return counts, err
		}
		cursor = page.NextCursor
		for i := range page.Tasks {
			t := &page.Tasks[i]
			switch {
			case t.State == task.Succeeded:
				counts.succeeded++
				switch {
				case t.Type == demoReport: // the redrive began its attempts anew
					counts.redriven++
				case t.Attempt == 1:
					counts.first++
				default:
					counts.retried++
					s.example = t.ID
				}
			case t.State == task.Dead:
				counts.dead++
			case t.State == task.Pending && t.Attempt > 0:
				counts.retrying++
			}
		}
	}
	return counts, nil
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
	groups, err := s.api.DeadGroups(ctx, client.Filter{}, 5)
	if err != nil {
		return err
	}
	s.Say("\ndead letters, grouped by what they have in common:")
	for _, g := range groups {
		s.Say("  %d × %s %s: %s", g.Count, cli.Clean(g.Type), cli.Clean(g.Reason), cli.Short(g.Message, 80))
	}
	s.receiver.repaired.Store(true)
	s.Say("\nthe endpoint is repaired; redriving: outlast dead redrive --type " + demoReport)
	redriven, err := s.api.Redrive(ctx, client.Redrive{Filter: &client.DeadFilter{Type: demoReport}})
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
