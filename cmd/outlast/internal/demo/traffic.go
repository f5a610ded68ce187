package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// What goes on after the story of a demo that is kept: once a second a mail, and
// now and then tasks to two endpoints that fail until somebody repairs them.
const (
	trafficEvery   = time.Second
	invoiceEvery   = 20 // beats; retried with growing waits
	addressEvery   = 60 // beats; given up at once
	firstInvoices  = 3
	firstAddresses = 6
	demoAddress    = "address.check"
)

// trafficPolicy begins with 2 s and waits three times as long each time.
const trafficPolicy = `{"max_attempts":8,"budget":"none","breaker":"none","backoff":{"kind":"exponential","initial":"2s","multiplier":3,"max":"5m","jitter":"equal"}}`

// traffic goes on until ctx ends.
func (s *demoStory) traffic(ctx context.Context) error {
	drafts := make([]client.Draft, 0, firstInvoices+firstAddresses)
	for i := range firstInvoices {
		drafts = append(drafts, s.invoice(i))
	}
	for i := range firstAddresses {
		drafts = append(drafts, s.address(i))
	}
	ticker := time.NewTicker(trafficEvery)
	defer ticker.Stop()
	for beat := 1; ; beat++ {
		if _, err := s.api.EnqueueBatch(ctx, drafts, true); err != nil {
			if ctx.Err() != nil {
				return nil // told to end
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		drafts = s.beat(drafts[:0], beat)
	}
}

// beat adds the tasks of one beat.
func (s *demoStory) beat(drafts []client.Draft, beat int) []client.Draft {
	drafts = append(drafts, s.draft("mail.send", "/mail", fmt.Sprintf(`{"to":"customer-%d@example.com"}`, demoMails+beat)))
	if beat%invoiceEvery == 0 {
		drafts = append(drafts, s.invoice(beat))
	}
	if beat%addressEvery == 0 {
		drafts = append(drafts, s.address(beat))
	}
	return drafts
}

func (s *demoStory) invoice(n int) client.Draft {
	return s.draft("invoice.book", "/books", fmt.Sprintf(`{"invoice":%d}`, 1000+n))
}

func (s *demoStory) address(n int) client.Draft {
	return s.draft(demoAddress, "/addresses", fmt.Sprintf(`{"customer":%d,"country":"XK"}`, 1+n))
}

func (s *demoStory) draft(kind, path, payload string) client.Draft {
	return client.Draft{
		Type: kind, Payload: json.RawMessage(payload), Retry: json.RawMessage(trafficPolicy),
		Target: &client.Target{URL: s.receiver.url + path},
	}
}

// remains says what there is to see and to repair.
func (s *demoStory) remains(url string) {
	s.Say("\nThe server stays, and so does some traffic, until Ctrl-C, which removes its data.")
	s.Say("  console: %s/", url)
	s.Say("%d letters of %s died: its endpoint does not know a country. The calls to /books fail and are\nretried with growing waits. Repair both endpoints, then send the letters back:", firstAddresses, demoAddress)
	s.Say("  curl -X POST %s/repair\n  outlast --server %s dead redrive --type %s", s.receiver.url, url, demoAddress)
	s.Say("More to try:")
	s.Say("  outlast --server %s task tail\n  outlast --server %s task attempts %s", url, url, s.example)
}
