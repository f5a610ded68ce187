package demo

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// What goes on around the story of a demo that is kept, in beats.
const (
	trafficEvery   = time.Second
	imagesEvery    = 5   // for the remote worker
	orderEvery     = 15  // to the shop that is away
	invoiceEvery   = 20  // retried with growing waits
	addressEvery   = 600 // given up at once
	firstInvoices  = 3
	firstAddresses = 6
	firstGone      = 3 // webhooks to a customer who has gone
	firstDamaged   = 2 // images
	demoAddress    = "address.check"
	printers       = "printers" // a worker group, whose member is the receiver
)

// scenery is what fails until somebody repairs it, what waits behind it, and what is due
// later.
func (s *demoStory) scenery() []client.Draft {
	var drafts []client.Draft
	for i := range firstInvoices {
		drafts = append(drafts, s.invoice(i))
	}
	for i := range firstAddresses {
		drafts = append(drafts, s.address(i))
	}
	for i := range firstGone {
		drafts = append(drafts, s.hook("initech", i))
	}
	for i := range firstDamaged {
		drafts = append(drafts, image(-1-i))
	}
	drafts[firstInvoices].Key = "customer-1"
	parcel := draft("parcel.ship", s.receiver.mail+"/mail", `{"customer":%d}`, 1)
	parcel.Key = "customer-1" // the letter of its address blocks it
	reminder := draft("newsletter.send", s.receiver.mail+"/mail", `{"trial_ends":%d}`, 1)
	reminder.Delay = client.Duration(2 * time.Hour)
	return append(drafts, parcel, reminder)
}

// traffic goes on until ctx ends.
func (s *demoStory) traffic(ctx context.Context) error {
	ticker := time.NewTicker(trafficEvery)
	defer ticker.Stop()
	for beat := 1; ; beat++ {
		err := s.api.PutMember(ctx, printers, "printer-1", client.Member{URL: s.receiver.mail, Capacity: 8})
		if err == nil {
			_, err = s.api.EnqueueBatch(ctx, s.beat(beat), true)
		}
		if ctx.Err() != nil {
			return nil // told to end
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// beat are the tasks of one beat.
func (s *demoStory) beat(beat int) []client.Draft {
	drafts := []client.Draft{
		draft("newsletter.send", s.receiver.mail+"/mail", `{"to":"customer-%d@example.com"}`, beat),
		draft("export.create", s.receiver.office+"/exports", `{"export":%d}`, beat),
		draft("label.print", "group:"+printers+"/hooks/labels", `{"label":%d}`, beat),
		s.hook([]string{"acme", "globex", "umbrella"}[beat%3], beat),
	}
	if beat%imagesEvery == 0 {
		drafts = append(drafts, image(100+beat), image(101+beat))
	}
	if beat%orderEvery == 0 {
		drafts = append(drafts, s.order(demoOrders+beat))
	}
	if beat%invoiceEvery == 0 {
		drafts = append(drafts, s.invoice(beat))
	}
	if beat%addressEvery == 0 {
		drafts = append(drafts, s.address(beat))
	}
	return drafts
}

// hook is an event for a customer, whose share key it has.
func (s *demoStory) hook(customer string, n int) client.Draft {
	d := draft("webhook.deliver", s.receiver.office+"/hooks/"+customer, `{"event":%d}`, n)
	d.ShareKey = customer
	return d
}

func (s *demoStory) invoice(n int) client.Draft {
	return draft("invoice.book", s.receiver.books+"/books", `{"invoice":%d}`, 1000+n)
}

func (s *demoStory) address(n int) client.Draft {
	return draft(demoAddress, s.receiver.books+"/addresses", `{"customer":%d,"country":"XK"}`, 1+n)
}

// remains says what there is to see and to repair.
func (s *demoStory) remains(url string) {
	s.Say("\nThe server stays, with some traffic, until Ctrl-C, which removes its data.")
	s.Say("  console: %s/", url)
	s.Say("The shop is away, invoices are retried with growing waits, and %d letters of %s died of\nan unknown country. Repair all of it, then redrive the letters, one of them first:", firstAddresses, demoAddress)
	s.Say("  curl -X POST %s/repair\n  outlast --server %s dead redrive --type %s --canary 1", s.receiver.books, url, demoAddress)
	s.Say("More to try:")
	s.Say("  outlast --server %s task tail\n  outlast --server %s task attempts %s", url, url, s.example)
	s.Say("  outlast prove --store URL    what your own database keeps when nodes are killed")
}
