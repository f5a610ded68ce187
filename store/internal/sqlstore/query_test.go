package sqlstore

import (
	"slices"
	"strings"
	"testing"
)

func TestQueryInOtherWords(t *testing.T) {
	q := &Query{Text: `SELECT "count", "before" FROM t WHERE a = $2::text OR b = $1::bigint OR c = $2::text FOR UPDATE`}
	if got, want := q.SQLite(), `SELECT "count", "before" FROM t WHERE a = ?2 OR b = ?1 OR c = ?2`; got != want {
		t.Errorf("SQLite: %s", got)
	}
	text, places := q.MySQL()
	if want := `SELECT total, body_before FROM t WHERE a = ? OR b = ? OR c = ? FOR UPDATE`; text != want {
		t.Errorf("MySQL: %s", text)
	}
	if want := []int{1, 0, 1}; !slices.Equal(places, want) {
		t.Errorf("places %v, want %v", places, want)
	}
}

func TestFreshFailsOnMySQL(t *testing.T) {
	text, _ := beginChange.MySQL()
	if !beginChange.Fresh || strings.Contains(text, "CONFLICT") || !strings.Contains(beginChange.SQLite(), "CONFLICT") {
		t.Errorf("%v, %s", beginChange.Fresh, text)
	}
	if endChange.Fresh {
		t.Error("an update is fresh")
	}
}

// All statements are in words that the translations know.
func TestQueriesAreInKnownWords(t *testing.T) {
	for _, q := range Queries() {
		text, places := q.MySQL()
		if strings.ContainsAny(text, `$":`) || strings.Count(text, "?") != len(places) {
			t.Errorf("MySQL: %s", text)
		}
		if text := q.SQLite(); strings.ContainsAny(text, "$:") || strings.Contains(text, "FOR UPDATE") {
			t.Errorf("SQLite: %s", text)
		}
		for _, name := range quoted.FindAllString(q.Text, -1) {
			if renamed[name] == "" {
				t.Errorf("MySQL has no column for %s: %s", name, q.Text)
			}
		}
	}
}
