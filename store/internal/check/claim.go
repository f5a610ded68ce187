package check

import "github.com/outlast-dev/outlast/store"

// Standing is how a row stands that a claim names, and what is before it in its key.
type Standing struct {
	Entry store.Entry
	Gone  bool // there is none, it runs or it has ended; nothing else is looked at
	Alive bool // the node that claims
	Owned bool // the lane, by that node at the epoch that it names
	Later bool // the store's now is before RunAt

	Held bool        // a dead letter holds the key
	Busy bool        // a row of the key runs
	Head store.Entry // the first of the pending rows of the key
}

// reason refuses the row whatever its key.
func (s *Standing) reason(mark int64) store.Reason {
	switch {
	case s.Gone:
		return store.ReasonGone
	case !s.Alive, mark == 0 && !s.Owned:
		return store.ReasonEpoch
	case s.Later:
		return store.ReasonLater
	case s.Entry.Park != mark:
		return store.ReasonParked
	}
	return ""
}

// AsksKey reports whether it depends on the key whether the row can be claimed, for stores
// that look at keys one by one.
func (s *Standing) AsksKey(item store.ClaimItem) bool {
	return s.Entry.Key != "" && s.reason(item.Mark) == ""
}

// Refusal says why the row cannot be claimed; no reason means that it can.
func (s *Standing) Refusal(item store.ClaimItem) store.Refusal {
	refusal := store.Refusal{ID: item.ID, Reason: s.reason(item.Mark)}
	if s.AsksKey(item) {
		switch {
		case s.Held:
			refusal.Reason = store.ReasonKeyHeld
		case s.Busy:
			refusal.Reason = store.ReasonBehindKey
		case s.Head.ID != item.ID:
			refusal.Reason, refusal.Head = store.ReasonBehindKey, s.Head
		}
	}
	if refusal.Reason != "" && !s.Gone {
		refusal.Entry = s.Entry
	}
	return refusal
}
