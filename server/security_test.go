package server_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/token"
)

const securityPage = "../docs/security.md"

// The tables of the page are those of the program. OUTLAST_WRITE_DOCS=1 writes them.
func TestSecurityPage(t *testing.T) {
	var tables strings.Builder
	tables.WriteString("| permission |")
	for _, role := range token.Roles {
		fmt.Fprintf(&tables, " %s |", role)
	}
	tables.WriteString("\n|---|" + strings.Repeat("---|", len(token.Roles)) + "\n")
	for _, p := range token.Permissions[2:] {
		fmt.Fprintf(&tables, "| `%s` |", p)
		for _, role := range token.Roles {
			tables.WriteString(map[bool]string{true: " yes |", false: " |"}[role.May(p)])
		}
		tables.WriteString("\n")
	}
	tables.WriteString("\n| call | permission | a token for certain queues gets |\n|---|---|---|\n")
	for _, rule := range start(t).server.Rules() {
		fmt.Fprintf(&tables, "| `%s %s` | `%s` | %s |\n", rule.Method, rule.Path, rule.Permission, rule.Queues)
	}
	page, err := os.ReadFile(securityPage)
	must(t, err)
	before, rest, found := strings.Cut(string(page), "<!-- tables -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	want := before + "<!-- tables -->\n" + tables.String() + "<!-- end -->" + after
	if !found || !ended {
		t.Fatal("the page has no place for the tables")
	}
	if os.Getenv("OUTLAST_WRITE_DOCS") != "" {
		must(t, os.WriteFile(securityPage, []byte(want), 0o600))
	} else if want != string(page) {
		t.Error("the tables of docs/security.md are stale: OUTLAST_WRITE_DOCS=1 go test -run TestSecurityPage ./server")
	}
}
