package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// readme is a README with the speed of Outlast in short, in its language.
type readme struct {
	file, head, origin string
	rows               []row
}

func readmes() []readme {
	return []readme{
		{"README.md", "median", "Measured on %s: %s. Other programs used at most %.0f %% of the cores.\n\n", []row{
			{"B1", "burn-down of ready tasks"},
			{"B2", "the same, each fails once"},
			{"B3", "single durable enqueues, 16 goroutines"},
			{"B5/p99", "enqueue to start, other process, p99"},
			{"B6/p99", "retry, how late, p99 (below zero: too early)"},
			{"B10/again-max", "`kill -9` of a node until its tasks run again"},
		}},
		{"README.zh-CN.md", "中位数", "测于 %s：%s。其他程序最多占用 %.0f %% 的核。\n\n", []row{
			{"B1", "清空已就绪的任务"},
			{"B2", "同上，每个任务先失败一次"},
			{"B3", "单个持久入队，16 个 goroutine"},
			{"B5/p99", "从另一进程入队到开始执行，p99"},
			{"B6/p99", "重试迟到多少，p99（负数：过早）"},
			{"B10/again-max", "节点被 `kill -9` 到其任务重新运行"},
		}},
	}
}

func (r readme) tables() []table { return []table{{"speed", r.text}} }

// text is the table of a README: a row for each figure that there is.
func (r readme) text(known results) string {
	rows := slices.DeleteFunc(slices.Clone(r.rows), func(r row) bool { return known.of(r.bench, outlastName) == nil })
	if len(rows) == 0 {
		return ""
	}
	systems := slices.DeleteFunc(columns(), func(system string) bool {
		return !slices.ContainsFunc(rows, func(r row) bool { return known.of(r.bench, system) != nil })
	})
	var b strings.Builder
	days, machines, _, others := sources(known, rows)
	fmt.Fprintf(&b, r.origin, days, machines, 100*others)
	head := []string{r.head}
	for _, system := range systems {
		head = append(head, strings.TrimSpace(strings.ToUpper(system[:1])+system[1:]+" "+peerVersion(system)))
	}
	ratio := func(r row) *figure { return known.of(r.bench+"/times-"+riverName, outlastName) }
	ratios := slices.ContainsFunc(rows, func(r row) bool { return ratio(r) != nil })
	if ratios {
		head = append(head, "× River")
	}
	writeRow(&b, head)
	b.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for _, r := range rows {
		cells := []string{r.label}
		for _, system := range systems {
			cells = append(cells, known.of(r.bench, system).median())
		}
		if ratios {
			cells = append(cells, ratio(r).median())
		}
		writeRow(&b, cells)
	}
	return b.String()
}

// median is a figure without its spread.
func (f *figure) median() string {
	if f == nil {
		return "–"
	}
	return strings.TrimSpace(grouped(f.Value) + " " + f.Unit)
}

// peerModules are the modules that are compared with.
var peerModules = map[string]string{
	riverName: "github.com/riverqueue/river", asynqName: "github.com/hibiken/asynq",
	"failsafe-go": "github.com/failsafe-go/failsafe-go",
}

//go:embed go.mod
var modules string

// peerVersion is the version of a peer in this program, such as 0.51 or 0.9.8; ""
// for Outlast.
func peerVersion(system string) string {
	_, version, found := strings.Cut(modules, "\t"+peerModules[system]+" v")
	if !found {
		return ""
	}
	version, _, _ = strings.Cut(version, "\n")
	return strings.TrimSuffix(version, ".0")
}
