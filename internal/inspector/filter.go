package inspector

import (
	"strings"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// checkFilter refuses what cannot match because it is misspelt.
func checkFilter(filter *store.Filter, page *store.Page) error {
	var c accept.Complaints
	if page != nil && filter.State == inspect.Failed {
		filter.Failed, filter.State = true, ""
	}
	if filter.State != "" && !filter.State.Valid() {
		c.Add("state", task.Quote(string(filter.State))+" is not a state", "one of pending, running, succeeded, dead, canceled; a list of tasks also takes failed")
	}
	if filter.Reason != "" && !knownReason(filter.Reason) {
		c.Add("reason", task.Quote(string(filter.Reason))+" is no reason", "one of exhausted, permanent, expired, crash_loop, no_handler, rejected")
	}
	if !filter.Since.IsZero() && !filter.Until.IsZero() && filter.Until.Before(filter.Since) {
		c.Add("until", "lies before since", "swap them")
	}
	if !filter.FailedSince.IsZero() && !filter.FailedUntil.IsZero() && filter.FailedUntil.Before(filter.FailedSince) {
		c.Add("failed_until", "lies before failed_since", "swap them")
	}
	for _, one := range [...]struct {
		field string
		at    time.Time
	}{{"since", filter.Since}, {"until", filter.Until}, {"died_before", filter.DiedBefore}, {"failed_since", filter.FailedSince}, {"failed_until", filter.FailedUntil}} {
		if year := one.at.UTC().Year(); year < 0 || year > 9999 {
			c.Add(one.field, "is not between the years 0 and 9999 in UTC", "leave it out for no bound")
		}
	}
	checkSearch(&c, filter)
	if page != nil && (page.Limit < 0 || page.Limit > maxPage) {
		c.Add("limit", "is outside 1 to 500", "follow the cursor for more")
	}
	return c.Err("the filter is invalid")
}

const (
	maxPage   = 500 // the largest page
	usualPage = 100 // as the stores have it
)

func knownReason(reason task.DeadReason) bool {
	for _, known := range task.DeadReasons {
		if reason == known {
			return true
		}
	}
	return false
}

const (
	maxSearch    = 512 // bytes of the text of a search
	mostMetadata = 64  // names
)

func checkSearch(c *accept.Complaints, filter *store.Filter) {
	if len(filter.Search) > maxSearch {
		c.Add("q", "is longer than 512 bytes", "a part of it will do")
	}
	if filter.AttemptMin < 0 {
		c.Add("attempt_min", "is negative", "0 is any number")
	}
	if len(filter.Metadata) > mostMetadata { // each is a look into every task
		c.Add("metadata", "has more than 64 names", "no task has so many")
	}
	for name := range filter.Metadata {
		if name == "" {
			c.Add("metadata", "has no name", "write it as name:value")
		}
	}
	for path, text := range map[string]string{"q": filter.Search, "target": filter.Target} {
		if strings.ContainsRune(text, 0) {
			c.Add(path, "has a NUL character", "no task has one there: "+task.Quote(text))
		}
	}
}
