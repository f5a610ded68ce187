// Package deploy checks the dashboard, the rules and the units of this directory. It is a
// module of its own, since the parser of Prometheus is large and the engine needs none of it.
package deploy

import (
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// The dashboard and the rules are what Prometheus can read, and name only metrics and
// labels that a server exports.
func TestNamesAreExported(t *testing.T) {
	recorded := map[string]bool{}
	rules, broken := rulefmt.ParseFile("prometheus/outlast.rules.yml", false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range broken {
		t.Error(err)
	}
	if len(broken) > 0 {
		t.FailNow()
	}
	var expressions []string
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr)
			if rule.Record != "" {
				recorded[rule.Record] = true
			} else {
				documented(t, rule.Alert, rule.Annotations["runbook_url"])
			}
		}
	}
	expressions = append(expressions, dashboard(t)...)
	if len(expressions) < 40 {
		t.Fatalf("only %d expressions were found", len(expressions))
	}
	known := scrape(t, named(expressions, recorded))
	for _, expression := range expressions {
		check(t, expression, known, recorded)
	}
}

// named are the metrics that expressions name, but for recorded ones and Prometheus' own.
func named(expressions []string, recorded map[string]bool) (names []string) {
	for _, expression := range expressions {
		parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
		if err != nil {
			continue // the check says so
		}
		parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok && selector.Name != "up" && !recorded[selector.Name] {
				names = append(names, selector.Name)
			}
			return nil
		})
	}
	return names
}

// check parses an expression and looks for what it names.
func check(t *testing.T, expression string, known map[string][]string, recorded map[string]bool) {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return
	}
	var exported []string
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			if selector.Name == "up" || recorded[selector.Name] {
				exported = append(exported, "job", "type", "queue", "attempt", "le")
				return nil
			}
			has, found := known[selector.Name]
			if !found {
				t.Errorf("%s: no server exports %s", expression, selector.Name)
			}
			exported = append(exported, append(has, "instance", "job")...)
			for _, matcher := range selector.LabelMatchers {
				if matcher.Name != model.MetricNameLabel && !slices.Contains(exported, matcher.Name) {
					t.Errorf("%s: %s has no label %s, but %q", expression, selector.Name, matcher.Name, has)
				}
			}
		}
		return nil
	})
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if aggregate, ok := node.(*parser.AggregateExpr); ok {
			for _, label := range aggregate.Grouping {
				if !slices.Contains(exported, label) {
					t.Errorf("%s: groups by %s, which no metric in it has", expression, label)
				}
			}
		}
		return nil
	})
}

var variables = strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*", "$queue", ".*", "$type", ".*")

// dashboard returns the expressions of all panels and variables.
func dashboard(t *testing.T) (expressions []string) {
	content, err := os.ReadFile("grafana/outlast.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			Type    string
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Type, Definition string }
		}
	}
	if err := json.Unmarshal(content, &board); err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, panel := range board.Panels {
		if seen[panel.ID] || panel.Title == "" || panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("the panel %d %q has no title, no query or the number of another", panel.ID, panel.Title)
		}
		seen[panel.ID] = true
		for _, target := range panel.Targets {
			expressions = append(expressions, variables.Replace(target.Expr))
		}
	}
	asked := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`)
	for _, variable := range board.Templating.List {
		if variable.Type == "query" {
			found := asked.FindStringSubmatch(variable.Definition)
			if found == nil {
				t.Fatalf("what is %q?", variable.Definition)
			}
			expressions = append(expressions, "count by ("+found[2]+") ("+found[1]+")")
		}
	}
	return expressions
}

// documented checks that an alert tells where to read on.
func documented(t *testing.T, alert, page string) {
	path, found := strings.CutPrefix(page, "https://github.com/outlast-dev/outlast/blob/main/")
	path, section, _ := strings.Cut(path, "#")
	content, err := os.ReadFile("../" + path)
	if !found || err != nil {
		t.Errorf("%s has no page: %q", alert, page)
		return
	}
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for _, title := range heading.FindAllStringSubmatch(string(content), -1) {
		anchor := strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(title[1]), ""), " ", "-")
		if section == "" || anchor == section {
			return
		}
	}
	t.Errorf("%s: %s has no section %s", alert, path, section)
}
