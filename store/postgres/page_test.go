package postgres_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

var update = flag.Bool("update", false, "write the statements into ../../docs/explanation/claim.md")

const claimPage = "../../docs/explanation/claim.md"

// The statements on the page are those that a store sends, to the letter, but for the
// name of the schema.
func TestClaimPage(t *testing.T) {
	s := open(t, servertest.Postgres(t), postgres.WithSchema("jobs"))
	g := newGround(t, s, 1)
	ids := g.add(2)
	var sent []string
	s.Observe(func(text string, _ [][]byte) { sent = append(sent, strings.ReplaceAll(text, `"jobs".`, "")) })
	text, err := os.ReadFile(claimPage)
	g.ok(err)
	page := string(text)
	put := func(name string) {
		t.Helper()
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		head, rest, found := strings.Cut(page, begin)
		_, tail, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s lacks the lines %q and %q", claimPage, begin, end)
		}
		page = head + begin + "```sql\n" + strings.Join(sent, ";\n\n") + ";\n```\n" + end + tail
		sent = nil
	}
	_, err = s.Scan(t.Context(), []store.Range{{Lane: g.queue.Numbers[0], After: -1 << 62, Until: 1 << 62, Limit: 10}})
	g.ok(err)
	put("scan")
	claimed := g.claim(ids...).Tasks
	if len(claimed) != len(ids) {
		t.Fatalf("claimed %d of %d", len(claimed), len(ids))
	}
	put("claim")
	g.settle(claimed[:1], task.OutcomeSucceeded)
	put("succeed")
	g.settle(claimed[1:], task.OutcomeFailed)
	put("fail")
	s.Observe(nil)
	switch {
	case page == string(text):
	case *update:
		g.ok(os.WriteFile(claimPage, []byte(page), 0o644))
	default:
		t.Errorf("%s is stale: go test ./store/postgres -run '^TestClaimPage$' -args -update", claimPage)
	}
}
