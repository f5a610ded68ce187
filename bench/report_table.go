package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table is a part of the document that figures fill.
type table struct {
	mark string
	text func(known results) string // "" without figures
}

func tables() []table {
	list := []table{
		{"missed", missed},
		{"race", pictured(sideBySide(race), "bench-rates.svg", "bench-waits.svg", "bench-snapshot.svg")},
		{"time", pictured(sideBySide(overMinutes), "bench-steady-p99.svg", "bench-steady-dead.svg", "bench-steady-size.svg")},
		{"nodes", sideBySide(manyNodes)},
		{"waiting", pictured(sideBySide(besides), "bench-waiting.svg")},
		{"mariadb", sideBySide(inMariaDB)},
		{"file", sideBySide(inFiles)},
		{"costs", costsOf("B1", "B2", "B3", "B4")},
		{"temporal", sideBySide(temporalRows)},
		{"temporal-costs", costsOf("B1t", "B2t", "B3t")},
		{"settings", peerSettings},
	}
	for _, id := range []string{successAtOnce.id, twoFailures.id, stormSimulator.id} {
		list = append(list, table{id, func(known results) string {
			return callTable(slices.DeleteFunc(slices.Clone(known), func(f *figure) bool { return benchOf(f) != id }))
		}})
	}
	return list
}

// pictured is a table with the pictures below it for which there are figures.
func pictured(table func(known results) string, files ...string) func(known results) string {
	return func(known results) string {
		if text := table(known); text != "" {
			return text + strings.TrimSuffix("\n"+shown(known, files...), "\n")
		}
		return ""
	}
}

// row is a figure with what it is called.
type row struct{ bench, label string }

// The rows of the tables in which systems stand side by side.
var (
	race = []row{
		{"B1", "burn-down of pre-inserted no-op tasks"},
		{"B2", "the same, each fails once and is retried at once"},
		{"B2g", "the same with the default budget and breaker"},
		{"B2g/share", "of B2 without them, in turns"},
		{"B3", "single durable enqueues from 16 goroutines"},
		{"B3/call-p99", "p99 of such a call"},
		{"B4", "enqueues in batches of 2000"},
		{"B5/p50", "enqueue to start, idle, other process: p50"},
		{"B5/p99", "p99"},
		{"B5/same-process-p99", "p99 from the same process"},
		{"B6/p50", "retry set for +200 ms, how late: p50"},
		{"B6/p99", "p99"},
		{"B6/early", "retries that started early"},
		{"B10/again-max", "kill -9 of a node: until the last of its tasks runs again"},
		{"B10/attempts-spent", "attempts that the crash cost each"},
		{"B9x/before", "20 000 always due, enqueued meanwhile: before a snapshot is held"},
		{"B9x/held", "at the end of the minute for which another session holds it"},
		{"B9x/held-share", "share that is left"},
		{"B9x/held-log", "write-ahead log meanwhile"},
		{"B9x/held-data", "growth of the database meanwhile"},
		{"B9x/dead-rows", "dead rows at the end of it"},
		{"B9xm/before", "the same on MariaDB: before a read view is held"},
		{"B9xm/held", "at the end of the minute"},
		{"B9xm/held-share", "share that is left"},
		{"B9xm/held-log", "redo log meanwhile"},
		{"B9xm/held-data", "growth of tables and undo log meanwhile"},
		{"B9xs/before", "the same on a SQLite file: before a reader begins"},
		{"B9xs/held", "at the end of the minute for which it reads"},
		{"B9xs/held-share", "share that is left"},
		{"B9xs/held-log", "growth of the log file meanwhile"},
		{"B9xs/log-longest", "the log file when the reader ends"},
		{"B9xs/log-at-end", "the log file a quarter of a minute later"},
	}
	overMinutes = []row{
		{"B9/start-p50", "enqueue to start: p50"},
		{"B9/start-p99", "p99"},
		{"B9/start-max", "longest"},
		{"B9/start-p99-growth", "p99 of the last third against the first"},
		{"B9/dead-rows-max", "dead rows, most at any time"},
		{"B9/steady-log", "write-ahead log"},
		{"B9/steady-size", "database at the end"},
		{"B9/steady-cpu", "processor, client"},
		{"B9/steady-server-cpu", "processor, server"},
	}
	manyNodes = []row{
		{"B16/undistributed", "burn-down on the coordinator of a Citus alone"},
		{"B16", "the same, distributed by lane over its workers"},
		{"B16/share", "share that is left"},
		{"B16/undistributed-server-cpu", "processor, all servers, undistributed"},
		{"B16/server-cpu", "distributed"},
		{"B17/nodes-1", "burn-down of a backlog of 300 000 by one process"},
		{"B17/nodes-2", "by two"},
		{"B17/nodes-4", "by four"},
		{"B17/2-against-1", "two against one"},
		{"B17/4-against-2", "four against two"},
		{"B17/nodes-1-server-cpu", "processor, server, for one"},
		{"B17/nodes-4-server-cpu", "for four"},
		{"B18", "HTTP enqueue, push and settlement through one server process"},
		{"B18/call-p99", "p99 of an enqueue meanwhile"},
		{"B18/program-cpu", "processor, server process"},
		{"B18/server-cpu", "processor, PostgreSQL"},
		{"B19", "burn-down of 50 000 tasks of three steps by one process"},
		{"B19/without", "of tasks without steps"},
		{"B19/steps", "steps"},
		{"B19/commits-of-steps", "commits that steps need"},
		{"B19/server-cpu", "processor, server"},
		{"B20/p50", "enqueue to start of 100 share keys behind one with 100 000 tasks: p50"},
		{"B20/idle-p50", "on an idle system: p50"},
		{"B20/p99", "behind it: p99"},
		{"B20/idle-p99", "idle: p99"},
		{"B20/ratio-p50", "p50 behind it against idle"},
	}
	besides = []row{
		{"B8/burn-0", "burn-down, nothing waits"},
		{"B8/burn-1M", "1 M wait"},
		{"B8/burn-10M", "10 M wait"},
		{"B8/burn-ratio-1M", "1 M against none"},
		{"B8/burn-ratio-10M", "10 M against none"},
		{"B8/start-p99-0", "enqueue to start, p99, nothing waits"},
		{"B8/start-p99-10M", "10 M wait"},
		{"B8/rss", "memory of a node beside 10 M"},
		{"B8/after-stop-first-task", "restart after a graceful stop, until a new task runs"},
		{"B8/after-kill-first-task", "after kill -9"},
	}
	temporalRows = []row{
		{"B1t", "burn-down of pre-inserted no-op tasks"},
		{"B2t", "the same, each fails once and is retried at once"},
		{"B3t", "single durable enqueues from 16 goroutines"},
		{"B3t/call-p99", "p99 of such a call"},
		{"B5t/p50", "enqueue to start, idle, other process: p50"},
		{"B5t/p99", "p99"},
		{"B6t/p50", "retry set for +200 ms, how late: p50"},
		{"B6t/p99", "p99"},
		{"B6t/early", "retries that started early"},
		{"B10t/again-max", "kill -9 of a node: until the last of its tasks runs again; Temporal's may take 4 s"},
		{"B10t/attempts-spent", "attempts that the crash cost each"},
		{"B10h/again-max", "the same; Temporal's may take any time, heartbeat timeout 10 s"},
	}
	inMariaDB = []row{
		{"B1m", "burn-down of pre-inserted no-op tasks"},
		{"B2m", "the same, each fails once and is retried at once"},
		{"B3m", "single durable enqueues from 16 goroutines"},
		{"B3m/call-p99", "p99 of such a call"},
		{"B4m", "enqueues in batches of 2000"},
		{"B5m/p50", "enqueue to start, idle, other process: p50"},
		{"B5m/p99", "p99"},
		{"B5m/same-process-p99", "p99 from the same process"},
		{"B6m/p99", "retry set for +200 ms, how late: p99"},
		{"B6m/early", "retries that started early"},
	}
	inFiles = []row{
		{"B7", "burn-down of 300 000 pre-inserted no-op tasks"},
		{"B7/cpu", "processor"},
		{"B2s", "the same with 200 000, each fails once"},
		{"B2gs", "the same with the default budget and breaker"},
		{"B2gs/share", "of B2s without them, in turns"},
		{"B3s", "single durable enqueues from 16 goroutines"},
		{"B3s/call-p99", "p99 of such a call"},
		{"B3h", "the same by HTTP, 16 connections, client on the same cores"},
		{"B4s", "enqueues in atomic batches of 2000"},
		{"B5s/p50", "enqueue to start, idle, other process: p50"},
		{"B5s/p99", "p99"},
		{"B5s/same-process-p99", "p99 from the same process"},
		{"B6s/p99", "retry set for +200 ms, how late: p99"},
		{"B6s/early", "retries that started early"},
		{"B8s/burn-ratio-1M", "burn-down beside 1 M waiting against none"},
		{"B8s/rss", "memory of a node beside them"},
		{"B8s/after-kill-first-task", "until a new task runs after kill -9"},
		{"B19s", "burn-down of 50 000 tasks of three steps"},
		{"B19s/without", "of tasks without steps"},
		{"B19s/steps", "steps"},
		{"B19s/commits-of-steps", "commits that steps need"},
		{"B20s/p50", "enqueue to start of 100 share keys behind one with 100 000 tasks: p50"},
		{"B20s/idle-p50", "on an idle system: p50"},
		{"B20s/ratio-p50", "p50 behind it against idle"},
		{"B13", "HTTP push to a receiver in another process"},
		{"B13/start-p99", "at 1000/s, enqueue to arrival: p99"},
	}
)

// columns are all systems that a table may have, whatever this program is built with.
func columns() []string { return []string{outlastName, riverName, asynqName, temporalName} }

// sideBySide has a column for each system that has a figure.
func sideBySide(rows []row) func(known results) string {
	return func(known results) string {
		rows := slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
			return !slices.ContainsFunc(known, func(f *figure) bool { return f.Bench == r.bench })
		})
		systems := slices.DeleteFunc(columns(), func(system string) bool {
			return !slices.ContainsFunc(rows, func(r row) bool { return known.of(r.bench, system) != nil })
		})
		if len(rows) == 0 {
			return ""
		}
		against := riverName
		if !slices.Contains(systems, riverName) {
			against = temporalName
		}
		ratios := slices.ContainsFunc(rows, func(r row) bool { return known.of(r.bench+"/times-"+against, outlastName) != nil })
		var b strings.Builder
		b.WriteString(origin(known, rows))
		head := append([]string{"", ""}, systems...)
		if ratios {
			head = append(head, "× "+against)
		}
		head = append(head, "to reach")
		writeRow(&b, head)
		b.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
		for _, r := range rows {
			cells := []string{strings.Split(r.bench, "/")[0], r.label}
			for _, system := range systems {
				cells = append(cells, known.of(r.bench, system).cell())
			}
			ratio := known.of(r.bench+"/times-"+against, outlastName)
			if ratios {
				cells = append(cells, ratio.cell())
			}
			writeRow(&b, append(cells, verdict(known.of(r.bench, outlastName), ratio)))
		}
		return b.String()
	}
}

func writeRow(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// cell is the median with its spread.
func (f *figure) cell() string {
	if f == nil {
		return "–"
	}
	text := strings.TrimSpace(grouped(f.Value) + " " + f.Unit)
	if f.Low == f.High {
		return text
	}
	return fmt.Sprintf("%s (%s to %s)", text, grouped(f.Low), grouped(f.High))
}

// verdict says what was to reach, and plainly whether it was.
func verdict(figures ...*figure) string {
	for _, f := range figures {
		if f == nil || f.Target == "" {
			continue
		}
		sign, bound, _ := strings.Cut(f.Target, " ")
		sign = map[string]string{">=": "≥ ", "<=": "≤ ", "<": "< ", "==": ""}[sign]
		text := sign + bound + map[bool]string{true: ": reached", false: ": **not reached**"}[*f.Reached]
		if f.Unit == "×" {
			return strings.Replace(text, ":", " × "+riverName+":", 1)
		}
		return text
	}
	return ""
}

// origin says when and where the figures of a table come from.
func origin(known results, rows []row) string {
	days, machines, runs, others := sources(known, rows)
	return fmt.Sprintf("Measured on %s: %s. Median of up to %d runs, lowest and highest in brackets; other programs used at most %.0f %% of the cores.\n\n",
		days, machines, runs, 100*others)
}

// sources are the days and machines of the figures of rows, the most runs that one
// had, and the largest share of the cores that other programs used.
func sources(known results, rows []row) (onDays, onMachines string, runs int, others float64) {
	var days, machines []string
	for _, f := range known {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.bench == f.Bench }) {
			continue
		}
		days, machines = append(days, f.Day), append(machines, f.Machine)
		runs, others = max(runs, len(f.Runs)), max(others, f.Others)
	}
	return unique(days), unique(machines), runs, others
}

func unique(texts []string) string {
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ", ")
}

// costsOf is what a task costs each system in fast benches. The sum of what client
// and server work is what bounds a machine, and moves less than rates with what else
// runs there.
func costsOf(benches ...string) func(known results) string {
	return func(known results) string {
		var b strings.Builder
		for _, id := range benches {
			for _, system := range columns() {
				if known.of(id, system) == nil {
					continue
				}
				cells := []string{id, system}
				for _, suffix := range []string{"cpu", "server-cpu"} {
					cells = append(cells, plainCell(known.of(id+"/"+suffix, system)))
				}
				cells = append(cells, workCell(known, id, system))
				for _, suffix := range []string{"log", "commits", "dead-rows", "size"} {
					cells = append(cells, plainCell(known.of(id+"/"+suffix, system)))
				}
				writeRow(&b, cells)
			}
		}
		if b.Len() == 0 {
			return ""
		}
		return "| | system | client, µs | server, µs | both | log, bytes | commits | dead rows | kept, bytes |\n|---|---|---|---|---|---|---|---|---|\n" + b.String()
	}
}

func plainCell(f *figure) string {
	if f == nil {
		return "–"
	}
	return grouped(f.Value)
}

// workCell is the processor time of client and server together and, for Outlast, how
// many times that River needs.
func workCell(known results, id, system string) string {
	work := func(system string) float64 {
		client, server := known.of(id+"/cpu", system), known.of(id+"/server-cpu", system)
		if client == nil || server == nil {
			return 0
		}
		return client.Value + server.Value
	}
	own, peer := work(system), work(riverName)
	switch {
	case own == 0:
		return "–"
	case system != outlastName || peer == 0:
		return number(own)
	}
	return fmt.Sprintf("%s (%s: %s ×)", number(own), riverName, number(peer/own))
}

// peerSettings are those with which peers were measured, as the search found
// them, and of the servers.
func peerSettings(known results) string {
	var b strings.Builder
	servers, told := make(map[string]string), make(map[string]bool)
	for _, f := range known {
		if len(f.Server) > 0 {
			servers[f.Store] = f.Server.String()
		}
		who := "| " + benchOf(f) + " | " + f.System + " |"
		if told[who] || f.Settings == nil || strings.Contains(f.Bench, "/times-") || !slices.Contains(peerNames(), f.System) && f.Store != "postgres" && f.Store != onCitus.scheme() {
			continue
		}
		told[who] = true
		fmt.Fprintf(&b, "%s `%s` |\n", who, f.Settings)
	}
	if b.Len() == 0 {
		return ""
	}
	text := "| | system | settings |\n|---|---|---|\n" + b.String() + "\n"
	for _, store := range slices.Sorted(maps.Keys(servers)) {
		text += fmt.Sprintf("- %s: `%s`\n", store, servers[store])
	}
	return text
}
