package main

import (
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/chart"
)

// barPicture has the systems side by side, in a group for each figure.
type barPicture struct {
	file, title, says string
	rows              []row
}

func barPictures() []barPicture {
	return []barPicture{
		{"bench-rates.svg", "Tasks per second: longer is better", "Tasks per second of each system.", []row{
			{"B1", "B1: burn-down of pre-inserted no-op tasks"},
			{"B2", "B2: the same, each fails once and is retried at once"},
			{"B3", "B3: single durable enqueues from 16 goroutines (Asynq: synced to disk once a second)"},
			{"B4", "B4: enqueues in batches of 2000"},
		}},
		{"bench-waits.svg", "Time that passes: shorter is better", "How long each system takes.", []row{
			{"B3/call-p99", "B3: a single durable enqueue, p99"},
			{"B5/p99", "B5: enqueue in another process to start, idle, p99"},
			{"B6/p99", "B6: retry set for +200 ms, how late, p99 (below zero: too early)"},
			{"B10/again-max", "B10: kill -9 of a node, until the last of its tasks runs again"},
		}},
		{"bench-waiting.svg", "Fresh work beside tasks that wait for tomorrow", "Tasks per second, and the memory of a node, beside waiting tasks.", []row{
			{"B8/burn-0", "B8: burn-down, nothing waits: longer is better"},
			{"B8/burn-1M", "1 million wait"},
			{"B8/burn-10M", "10 million wait"},
			{"B8/start-p99-0", "enqueue to start, p99, nothing waits: shorter is better"},
			{"B8/start-p99-10M", "10 million wait"},
			{"B8/rss", "memory of a node beside 10 million"},
		}},
	}
}

// draw is nil without figures. Systems and rows that have none are left out.
func (p barPicture) draw(known results) []byte {
	rows := slices.DeleteFunc(slices.Clone(p.rows), func(r row) bool { return known.of(r.bench, outlastName) == nil })
	if len(rows) == 0 {
		return nil
	}
	c := chart.Bars{Title: p.title, Description: p.says, Note: strings.TrimSpace(origin(known, rows)) + " Each group has its own scale"}
	for _, r := range rows {
		group := chart.Group{Label: r.label}
		for _, system := range columns() {
			f := known.of(r.bench, system)
			if f == nil {
				continue
			}
			if !slices.Contains(c.Names, system) {
				c.Names = append(c.Names, system)
			}
			group.Bars = append(group.Bars, chart.Bar{Name: slices.Index(c.Names, system), Value: f.Value, Low: f.Low, High: f.High, Text: f.cell()})
		}
		c.Groups = append(c.Groups, group)
	}
	return c.SVG()
}

// shown are the links to the pictures of a part of the document that there are
// figures for.
func shown(known results, files ...string) string {
	drawn, text := drawAll(known), ""
	for _, file := range files {
		if drawn[file] != nil {
			text += "![" + titleOf(file) + "](../pictures/" + file + ")\n\n"
		}
	}
	return text
}

func titleOf(file string) string {
	for _, p := range barPictures() {
		if p.file == file {
			return p.title
		}
	}
	for _, p := range pictures() {
		if p.file == file {
			return p.title
		}
	}
	panic("bench: there is no picture " + file) // a slip in this program
}
