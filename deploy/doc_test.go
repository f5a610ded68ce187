// Package deploy checks the dashboard, the rules and the units of this directory. It is a
// module of its own, since what reads them is large and the engine needs none of it.
package deploy

import (
	"encoding/json"
	"fmt"
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
	var expressions []expression
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, expression{rule.Expr, fmt.Sprint(rule.Annotations)})
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
	for _, one := range expressions {
		check(t, one, known, recorded)
	}
}

// expression is what Prometheus is asked, and the text that shows the answer, by labels.
type expression struct{ asked, shown string }

// label is one in a legend of Grafana, or in an annotation of Prometheus.
var label = regexp.MustCompile(`\{\{ ?(?:\$labels\.)?(\w+) ?\}\}`)

// named are the metrics that expressions name, but for recorded ones and Prometheus' own.
func named(expressions []expression, recorded map[string]bool) (names []string) {
	for _, one := range expressions {
		parsed, err := parser.NewParser(parser.Options{}).ParseExpr(one.asked)
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

// check parses an expression and looks for what it and its text name.
func check(t *testing.T, one expression, known map[string][]string, recorded map[string]bool) {
	expression := one.asked
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return
	}
	var exported, kept []string
	aggregated := false
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			if selector.Name == "up" || recorded[selector.Name] {
				exported = append(exported, "instance", "job", "type", "queue", "attempt", "le")
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
			aggregated, kept = true, append(kept, aggregate.Grouping...)
			for _, label := range aggregate.Grouping {
				if !slices.Contains(exported, label) {
					t.Errorf("%s: groups by %s, which no metric in it has", expression, label)
				}
			}
		}
		return nil
	})
	if !aggregated {
		kept = exported
	}
	for _, found := range label.FindAllStringSubmatch(one.shown, -1) {
		if !slices.Contains(kept, found[1]) {
			t.Errorf("%s: the answer has no label %s for %q", expression, found[1], one.shown)
		}
	}
}

// panel is a panel of a dashboard, or a row with panels that are folded into it.
type panel struct {
	ID      int
	Type    string
	Title   string
	Targets []struct{ Expr, LegendFormat string }
	Panels  []panel
}

// dashboard returns the expressions of all panels and variables.
func dashboard(t *testing.T) (expressions []expression) {
	content, err := os.ReadFile("grafana/outlast.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels     []panel
		Templating struct {
			List []struct{ Name, Type, Definition string }
		}
	}
	if err := json.Unmarshal(content, &board); err != nil {
		t.Fatal(err)
	}
	variables := []string{"$__rate_interval", "5m"}
	for _, variable := range board.Templating.List {
		variables = append(variables, "$"+variable.Name, ".*")
	}
	seen := map[int]bool{}
	for i := 0; i < len(board.Panels); i++ {
		panel := board.Panels[i]
		board.Panels = append(board.Panels, panel.Panels...)
		if seen[panel.ID] || panel.Title == "" || panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("the panel %d %q has no title, no query or the number of another", panel.ID, panel.Title)
		}
		seen[panel.ID] = true
		for _, target := range panel.Targets {
			asked := strings.NewReplacer(variables...).Replace(target.Expr)
			if strings.Contains(asked, "$") {
				t.Errorf("%s: a variable is unknown", asked)
			}
			expressions = append(expressions, expression{asked, target.LegendFormat})
		}
	}
	asked := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`)
	for _, variable := range board.Templating.List {
		if variable.Type == "query" {
			found := asked.FindStringSubmatch(variable.Definition)
			if found == nil {
				t.Fatalf("what is %q?", variable.Definition)
			}
			expressions = append(expressions, expression{asked: "count by (" + found[2] + ") (" + found[1] + ")"})
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
