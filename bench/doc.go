package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// writeDoc puts the tables of storeless benches into a document, each between its
// marks <!-- B11 --> and <!-- /B11 -->.
func writeDoc(path string, figures []*figure) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page := string(text)
	for len(figures) > 0 {
		id := benchOf(figures[0])
		n := slices.IndexFunc(figures, func(f *figure) bool { return benchOf(f) != id })
		if n < 0 {
			n = len(figures)
		}
		if page, err = between(page, id, docTable(figures[:n])); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		figures = figures[n:]
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

func benchOf(f *figure) string {
	id, _, _ := strings.Cut(f.Bench, "/")
	return id
}

// between replaces what stands between the marks of a bench.
func between(page, id, table string) (string, error) {
	open, end := "<!-- "+id+" -->\n", "<!-- /"+id+" -->"
	head, rest, found := strings.Cut(page, open)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("the marks %s and %s are missing", strings.TrimSpace(open), end)
	}
	return head + open + table + end + tail, nil
}

// docTable has a row for every figure and a column for every system. Allocations
// stand in the cell of their time.
func docTable(figures []*figure) string {
	var systems, rows []string
	cells := make(map[string]*figure)
	for _, f := range figures {
		if !slices.Contains(systems, f.System) {
			systems = append(systems, f.System)
		}
		if !strings.HasSuffix(f.Bench, "/allocs") && !slices.Contains(rows, f.Bench) {
			rows = append(rows, f.Bench)
		}
		cells[f.Bench+" "+f.System] = f
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s: %d cores (%s), %s, median and best of %d; other programs used at most %.0f %% of the cores.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), cpuModel(), runtime.Version(), len(figures[0].Runs), 100*figures[0].Others)
	fmt.Fprintf(&b, "| %s | %s | to reach |\n|---|%s---|\n", figures[0].Unit, strings.Join(systems, " | "), strings.Repeat("---|", len(systems)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", strings.TrimPrefix(row, benchOf(figures[0])+"/"))
		target := ""
		for _, system := range systems {
			f := cells[row+" "+system]
			fmt.Fprintf(&b, " %s |", docCell(f, cells[row+"/allocs "+system]))
			if f != nil && f.Target != "" {
				target = docTarget(f)
			}
		}
		fmt.Fprintf(&b, " %s |\n", target)
	}
	return b.String()
}

func docCell(f, allocs *figure) string {
	if f == nil {
		return ""
	}
	cell := fmt.Sprintf("%s (%s)", grouped(f.Value), grouped(f.best()))
	if allocs != nil && allocs.Value > 0 {
		cell += fmt.Sprintf(", %s allocs", number(allocs.Value))
	}
	return cell
}

// best is the repetition that other programs disturbed least.
func (f *figure) best() float64 {
	if strings.HasSuffix(f.Unit, "/s") {
		return f.High
	}
	return f.Low
}

func docTarget(f *figure) string {
	if *f.Reached {
		return f.Target + ", reached"
	}
	return f.Target + ", **not reached**"
}

// grouped shows large numbers in groups of three digits.
func grouped(v float64) string {
	text := number(v)
	if v < 10_000 {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}
