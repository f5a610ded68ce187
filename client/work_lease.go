package client

import (
	"context"
	"time"
)

// extending is the loop that keeps the leases of what is in hand, each a third of a lease
// after it began.
func (w *working) extending() {
	ticker := time.NewTicker(w.options.Lease / 6)
	defer ticker.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-ticker.C:
		}
		for due := w.due(); len(due) > 0; {
			some := due[:min(len(due), 1000)]
			due = due[len(some):]
			w.extend(some)
		}
	}
}

// due is what is to be extended now.
func (w *working) due() (due []*holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.held {
		if !h.gone && time.Since(h.since) >= w.options.Lease/3 {
			due = append(due, h)
		}
	}
	return due
}

func (w *working) extend(held []*holding) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.attempts), w.options.Lease/3)
	defer cancel()
	items := make([]ExtendItem, len(held))
	w.mu.Lock()
	for i, h := range held {
		items[i] = ExtendItem{ID: h.task.ID, Claim: h.task.Claim, Progress: h.progress}
	}
	w.mu.Unlock()
	asked := time.Now()
	results, err := w.client.Extend(ctx, items, w.options.Lease)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.options.Logger.Warn("extend.failed", "tasks", len(items), "error", err)
		if isDenied(err) {
			w.fail(&deniedError{err})
		}
		for _, h := range held {
			h.lostAt = time.Now().Add(w.options.Lease) // it may have been extended
			if isRefused(err) {
				h.progress = nil // it can only be that
			}
		}
		return
	}
	for i, result := range results[:min(len(results), len(held))] {
		h := held[i]
		switch result.Status {
		case "stale_claim", "not_found":
			h.gone = true
			h.cancel(ErrLeaseLost)
			continue
		case "canceled":
			h.cancel(ErrCanceled)
		}
		h.leased(asked, w.options.Lease)
	}
}
