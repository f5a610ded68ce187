package outlast

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// maxSearch is how long the text of a search may be, in bytes.
const maxSearch = 512

// Beginnings of ids that a search recognises: hexadecimal digits.
const (
	leastDigits = 8
	idDigits    = 32
)

// byPrefix begins the cursors of pages that were found by the beginning of their ids.
const byPrefix = "id."

// search is Find with a text: the task whose id it is comes alone; else those whose
// ids begin with it, if there are any; else what the store finds.
func (i *Inspector) search(ctx context.Context, filter store.Filter, page store.Page) ([]*Task, string, error) {
	digits := strings.ToLower(strings.ReplaceAll(filter.Search, "-", ""))
	_, err := hex.DecodeString(digits + strings.Repeat("0", len(digits)%2))
	begins := err == nil && filter.IDs == nil && len(digits) >= leastDigits && len(digits) <= idDigits
	if cursor, ok := strings.CutPrefix(page.Cursor, byPrefix); ok && begins {
		page.Cursor = cursor
		return i.beginning(ctx, filter, page, digits)
	}
	if begins && page.Cursor == "" {
		if found, next, err := i.beginning(ctx, filter, page, digits); err != nil || len(found) > 0 {
			return found, next, err
		}
	}
	return i.client.backend.Find(ctx, filter, page)
}

// beginning finds tasks by the beginning of their ids, which is a time.
func (i *Inspector) beginning(ctx context.Context, filter store.Filter, page store.Page, digits string) ([]*Task, string, error) {
	filter.Search = ""
	first, last := idOf(digits, "0"), idOf(digits, "f")
	if first == last {
		filter.IDs = []ID{first}
		return i.client.backend.Find(ctx, filter, page)
	}
	if filter.Since.Before(first.Time()) {
		filter.Since = first.Time()
	}
	if until := last.Time().Add(time.Millisecond / 2); filter.Until.IsZero() || until.Before(filter.Until) {
		filter.Until = until
	}
	tasks, next, err := i.client.backend.Find(ctx, filter, page)
	found := tasks[:0]
	for _, t := range tasks {
		if t.ID.Compare(first) >= 0 && t.ID.Compare(last) <= 0 {
			found = append(found, t)
		}
	}
	if next != "" {
		next = byPrefix + next
	}
	return found, next, err
}

// idOf is the id with the first digits, and the others all alike.
func idOf(digits, rest string) (id ID) {
	raw, _ := hex.DecodeString(digits + strings.Repeat(rest, idDigits-len(digits))) // they are hexadecimal
	copy(id[:], raw)
	return id
}

func checkSearch(c *accept.Complaints, filter *store.Filter) {
	if len(filter.Search) > maxSearch {
		c.Add("q", "is longer than 512 bytes", "a part of it will do")
	}
	if filter.AttemptMin < 0 {
		c.Add("attempt_min", "is negative", "0 is any number")
	}
	if len(filter.Metadata) > maxMetadata { // each is a look into every task
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
