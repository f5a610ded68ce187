package main

import (
	"fmt"
	"slices"
	"strings"
)

// callTable has a row for every figure of one bench and a column for every system.
// Allocations stand in the cell of their time.
func callTable(figures results) string {
	if len(figures) == 0 {
		return ""
	}
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
	fmt.Fprintf(&b, "Measured on %s: %s, median and best of %d; other programs used at most %.0f %% of the cores.\n\n",
		figures[0].Day, figures[0].Machine, len(figures[0].Runs), 100*figures[0].Others)
	fmt.Fprintf(&b, "| %s | %s | to reach |\n|---|%s---|\n", figures[0].Unit, strings.Join(systems, " | "), strings.Repeat("---|", len(systems)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", strings.TrimPrefix(row, benchOf(figures[0])+"/"))
		target := ""
		for _, system := range systems {
			f := cells[row+" "+system]
			fmt.Fprintf(&b, " %s |", callCell(f, cells[row+"/allocs "+system]))
			if f != nil && f.Target != "" {
				target = verdict(f)
			}
		}
		fmt.Fprintf(&b, " %s |\n", target)
	}
	return b.String()
}

func callCell(f, allocs *figure) string {
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
